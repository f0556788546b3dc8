internal import CaptureModel
internal import Foundation
internal import PosixSupport
internal import Subprocess
internal import SystemPackage

/// A program that this process runs and ends.
///
/// The child's standard input is a pipe that only this process holds open and to which nothing is written. A child that
/// ends with its input ends after ``closeInput()``, and also when this process dies in any way. Its standard output,
/// which it must keep open while it runs, is delivered as lines. Its standard error goes to a file. The child is reaped
/// as soon as it ends, so it does not remain a zombie.
final class ChildProcess: Sendable {
    let name: String
    /// The file with the child's standard error.
    let logPath: String
    /// Lines of standard output, for one reader; the newest 16 wait for it. Ends with the child's output.
    let lines: AsyncStream<String>
    let processIdentifier: Int32
    private let orders: AsyncStream<Order>.Continuation
    private let end: Task<Int32, Never>
    private let ended: Locked<Bool>

    /// An order to a running child.
    private enum Order {
        case closeInput
        case kill
    }

    /// The streams between a child and the code that started it.
    private struct Reports {
        let started = AsyncStream.makeStream(of: Result<Int32, CommandFailure>.self)
        let lines = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(16))
        let orders = AsyncStream.makeStream(of: Order.self, bufferingPolicy: .bufferingNewest(4))
        let ended = Locked(false)
    }

    private init(name: String, logPath: String, processIdentifier: Int32, _ reports: Reports, _ end: Task<Int32, Never>)
    {
        self.name = name
        self.logPath = logPath
        self.processIdentifier = processIdentifier
        self.end = end
        lines = reports.lines.stream
        orders = reports.orders.continuation
        ended = reports.ended
    }

    /// Starts the program and returns when it runs.
    /// - Throws: ``CommandFailure`` if it cannot be started.
    static func start(
        name: String, program: String, arguments: [String], logPath: String
    ) async throws -> ChildProcess {
        let log = try logFile(logPath)
        let reports = Reports()
        // Unstructured, since the child outlives the call, and several tasks may wait for its end.
        let end = Task {
            await run(program, arguments, log: log, reports: reports) { problem in
                CommandFailure(.other, "\(name) cannot be started: \(program): \(problem)")
            }
        }
        for await started in reports.started.stream {
            return ChildProcess(
                name: name, logPath: logPath, processIdentifier: try started.get(), reports, end)
        }
        throw CommandFailure(.other, "\(name) ended while it was being started")
    }

    var hasEnded: Bool { ended.withLock { $0 } }

    /// Makes the child end by closing its standard input.
    func closeInput() {
        orders.yield(.closeInput)
    }

    /// Waits until the child has ended.
    /// - Returns: Its exit status, or 128 plus the signal that ended it.
    func exitStatus() async -> Int32 {
        await end.value
    }

    /// Ends the child: closes its input, and kills it if it has not ended after `grace`.
    /// - Returns: Whether it ended by itself.
    func stop(grace: Duration, time: any TimeSource) async -> Bool {
        closeInput()
        let killer = Task { [orders, ended] in
            guard (try? await time.sleep(for: grace)) != nil, !ended.withLock({ $0 }) else { return false }
            orders.yield(.kill)
            return true
        }
        _ = await exitStatus()
        killer.cancel()
        return await !killer.value
    }

    /// The last lines of the child's standard error, for a message.
    func lastLogLines(_ count: Int) -> String {
        guard let handle = FileHandle(forReadingAtPath: logPath) else { return "" }
        defer { try? handle.close() }
        let size = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: size > 16_384 ? size - 16_384 : 0)
        let text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(count).map { "  \($0)\n" }.joined()
    }

    private static func logFile(_ path: String) throws -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead])
        } catch {
            throw CommandFailure(.other, "the log file \(path) cannot be written: \(error)")
        }
    }

    private static func run(
        _ program: String, _ arguments: [String], log: FileDescriptor, reports: Reports,
        failure: (String) -> CommandFailure
    ) async -> Int32 {
        defer {
            reports.ended.withLock { $0 = true }
            reports.lines.continuation.finish()
        }
        do {
            let outcome = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments), input: .inputWriter, output: .sequence,
                error: .fileDescriptor(log, closeAfterSpawningProcess: true)
            ) { child in
                reports.started.continuation.yield(.success(child.processIdentifier.value))
                await accompany(child, reports)
            }
            return status(outcome.terminationStatus)
        } catch {
            reports.started.continuation.yield(.failure(failure("\(error)")))
            return -1
        }
    }

    /// Passes on lines and orders until the child's output ends.
    private static func accompany(
        _ child: Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>, _ reports: Reports
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await line in child.standardOutput.strings() { reports.lines.continuation.yield(line) }
                } catch {
                    reports.lines.continuation.yield("the output cannot be read: \(error)")
                }
                reports.lines.continuation.finish()
                reports.orders.continuation.finish()
            }
            for await order in reports.orders.stream {
                // A child that has just ended accepts no order; it has done what the order wants.
                switch order {
                case .closeInput: try? await child.standardInputWriter.finish()
                case .kill: try? child.send(signal: .kill)
                }
            }
        }
    }

    private static func status(_ status: TerminationStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
