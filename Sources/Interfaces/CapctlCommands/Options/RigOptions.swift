internal import ArgumentParser
internal import CaptureSystem
internal import Foundation
internal import PosixSupport
internal import RigClient
internal import RigConfiguration
internal import ZeroMQ

/// Options of every command that talks to a coordinator.
struct RigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The coordinator's client endpoint.",
            discussion: "Without it, the environment variable CAPRIG_COORDINATOR counts.", valueName: "endpoint"))
    var coordinator = RigOptions.defaultCoordinator

    static var defaultCoordinator: String {
        ProcessInfo.processInfo.environment["CAPRIG_COORDINATOR"] ?? "tcp://127.0.0.1:7713"
    }

    func validate() throws {
        do {
            _ = try TCPEndpoint(parsing: coordinator)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Calls `body` with a connected client and closes it afterwards.
    func withClient<Result>(_ body: (RigClient) async throws -> Result) async throws -> Result {
        let endpoint = try TCPEndpoint(parsing: coordinator)
        do {
            try await HostCheck(time: SystemTimeSource()).check(endpoint.host, of: coordinator)
        } catch let unresolved as UnresolvedHost {
            throw CommandFailure(.usage, "\(unresolved)")
        }
        return try await RigOptions.withClient(of: coordinator, body)
    }

    /// Who runs the command: the account and the machine's name, such as `anna@studio-1`.
    static var accountName: String {
        "\(ProcessInfo.processInfo.userName)@\(ProcessInfo.processInfo.hostName)"
    }

    /// Calls `body` with a client of the coordinator at `endpoint` and closes it afterwards.
    static func withClient<Result>(
        of endpoint: String, _ body: (RigClient) async throws -> Result
    ) async throws -> Result {
        let executor = try SocketExecutor(name: "client")
        let client = try RigClient(
            context: try ZeroMQContext(), executor: executor, time: SystemTimeSource(), name: accountName)
        do {
            try await client.connect(to: endpoint)
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
