import Foundation
import Synchronization

/// A program that a test has started; killed when the last reference to it goes.
///
/// Its standard input is a pipe that nothing is written to. Its standard output comes as lines, its standard error goes to
/// a file.
final class RunningProgram: Sendable {
    let name: String
    let logPath: String
    let processIdentifier: Int32
    private let input: FileHandle
    private let output: AsyncStream<String>
    private let end: AsyncStream<Int32>
    private let hasEnded = HasEnded()

    /// Set by the thread that has waited for the end, before the process's id may be given to another.
    private final class HasEnded: Sendable {
        let value = Mutex(false)
    }

    /// - Parameter environment: Added to the test's own.
    init(
        _ name: String, program: String, arguments: [String], environment: [String: String] = [:], log: String
    ) throws {
        self.name = name
        logPath = log
        let child = try ChildSpawn(
            program: program, arguments: arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, log: log)
        processIdentifier = child.processIdentifier
        input = child.input
        output = Self.lines(of: child.output)
        end = Self.end(of: child.processIdentifier, hasEnded)
    }

    deinit {
        send(SIGKILL)
    }

    func send(_ signal: Int32) {
        hasEnded.value.withLock { hasEnded in
            if !hasEnded { kill(processIdentifier, signal) }
        }
    }

    func closeInput() {
        try? input.close()
    }

    /// Waits for the program's end; once.
    /// - Parameter limit: After it the program is killed, which is a failure.
    /// - Returns: Its exit status, or 128 plus the signal that ended it.
    func exitStatus(within limit: Duration) async throws -> Int32 {
        let found: Int32? = try await killing(after: limit) { [end] in
            for await status in end { return status }
            return nil
        }
        guard let found else { throw SystemTestError("nobody can wait twice for the end of \(name)") }
        return found
    }

    /// Kills the program and waits until it is gone.
    func killNow() async throws {
        send(SIGKILL)
        _ = try await exitStatus(within: .seconds(10))
    }

    /// The next line of output that `matches` accepts; those before it are passed over.
    /// - Parameter limit: After it the program is killed, which is a failure.
    func nextLine(within limit: Duration, where matches: @Sendable @escaping (String) -> Bool) async throws -> String {
        let found: String? = try await killing(after: limit) { [output] in
            for await line in output where matches(line) { return line }
            return nil
        }
        guard let found else { throw SystemTestError("\(name) has ended before it said what was expected:\n\(log)") }
        return found
    }

    /// All further output, up to the program's end.
    func restOfOutput(within limit: Duration) async throws -> String {
        try await killing(after: limit) { [output] in
            await output.reduce(into: "") { $0 += $1 + "\n" }
        }
    }

    /// What the program has written to standard error.
    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    private func killing<Result: Sendable>(
        after limit: Duration, _ body: @Sendable @escaping () async -> Result
    ) async throws -> Result {
        let killer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return false }
            send(SIGKILL)
            return true
        }
        let result = await body()
        killer.cancel()
        if await killer.value {
            throw SystemTestError("\(name) was not done within \(limit) and was killed; its log:\n\(log)")
        }
        return result
    }

    private static func end(of process: Int32, _ hasEnded: HasEnded) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            Thread {
                // Not reaped yet, so that the id stays this program's until nobody can signal it any more.
                ChildSpawn.awaitEnd(of: process)
                hasEnded.value.withLock { $0 = true }
                continuation.yield(ChildSpawn.reap(process))
                continuation.finish()
            }.start()
        }
    }

    private static func lines(of output: FileHandle) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                var rest = Data()
                while true {
                    let data = output.availableData
                    guard !data.isEmpty else { break }
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }.start()
        }
    }
}
