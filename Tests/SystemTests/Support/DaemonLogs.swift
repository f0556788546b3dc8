import Foundation
import Synchronization
import Testing

/// The logs of the daemons that a test has started, which are printed if it fails.
///
/// Each log is held open, since a test removes its folder before it is known to have failed.
final class DaemonLogs: Sendable {
    /// Those of the running test; nil outside of tests with ``Trait/printsDaemonLogs``.
    @TaskLocal static var current: DaemonLogs?

    private struct State {
        var hasFailed = false
        var logs: [(name: String, file: FileHandle)] = []
    }

    private let state = Mutex(State())

    /// Takes the log of a daemon that was started.
    func add(_ path: String, of name: String) {
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        state.withLock { $0.logs.append((name, file)) }
    }

    /// Notes that the test has failed.
    func noteFailure() {
        state.withLock { $0.hasFailed = true }
    }

    /// Notes that the running test has failed with an issue, which is passed on.
    @Sendable static func noteFailure(_ issue: Issue) -> Issue? {
        current?.noteFailure()
        return issue
    }

    /// Prints the logs if the test has failed, in the form that `tools/checks/program_logs.py` reads.
    func printIfFailed(_ test: Test) {
        let (hasFailed, logs) = state.withLock { ($0.hasFailed, $0.logs) }
        guard hasFailed else { return }
        let title = test.displayName.map { "\"\($0)\"" } ?? test.name
        for (name, file) in logs {
            let log = String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
            let lines = log.split(separator: "\n").suffix(Self.limit).map { "  \($0)\n" }
            let text = "⎙ Log of \(name) in \(title):\n" + lines.joined()
            // As Swift Testing does, whose lines are before and behind these.
            FileHandle.standardError.write(Data(text.utf8))
        }
    }

    /// How many lines of a log are printed; its last ones.
    private static let limit = 200
}

/// Prints the logs of the daemons that a failed test has started.
struct DaemonLogsTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let logs = DaemonLogs()
        defer { logs.printIfFailed(test) }
        do {
            try await DaemonLogs.$current.withValue(logs) { try await function() }
        } catch {
            logs.noteFailure()
            throw error
        }
        // A test that has reached its time limit is cancelled.
        if Task.isCancelled { logs.noteFailure() }
    }
}

extension Trait where Self == DaemonLogsTrait {
    static var printsDaemonLogs: Self { Self() }
}
