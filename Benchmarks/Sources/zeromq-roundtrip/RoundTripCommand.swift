internal import Glibc
internal import ZeroMQ

/// `zeromq-roundtrip serve` answers until the end of standard input, having printed its endpoint.
/// `zeromq-roundtrip ask ENDPOINT BYTES COUNT actor|task` prints the nanoseconds of every round trip, one a line.
@main
enum RoundTripCommand {
    @MainActor
    static func main() async {
        do {
            try await run(CommandLine.arguments.dropFirst())
        } catch {
            print("zeromq-roundtrip: \(error)")
            exit(error is UsageError ? 64 : 1)
        }
    }

    @MainActor
    private static func run(_ arguments: ArraySlice<String>) async throws {
        if arguments.elementsEqual(["serve"]) { return try await serve() }
        guard let request = RoundTripRequest(arguments) else { throw UsageError() }
        let asker = try Asker(endpoint: request.endpoint)
        let times = try await request.usesActor ? asker.ask(request) : Asker.askFromTask(asker.dealer, request)
        print(times.map(String.init).joined(separator: "\n"))
    }

    @MainActor
    private static func serve() async throws {
        let executor = try SocketExecutor(name: "echo")
        let router = try RouterSocket(context: try ZeroMQContext(), executor: executor)
        await router.respondInline { _, received, _ in received.message }
        print(try await router.bind(to: "tcp://127.0.0.1:*"))
        // Toward a pipe, output waits for a full buffer otherwise.
        fflush(nil)
        // Blocks the main thread only: the socket has a thread of its own.
        while readLine() != nil {}
        await router.close()
    }
}
