internal import CaptureModel
internal import Foundation
internal import PosixSupport

/// A program that this one runs and whose end it sees to.
///
/// The child's standard input is a pipe that nobody writes to and only this process holds open: a child that ends
/// with its input ends with ``closeInput()``, and also when this process dies in whatever way. Its standard output
/// comes as lines, its standard error goes to a file. The child is waited for as soon as it ends, so none stays a
/// zombie.
final class ChildProcess: Sendable {
    let name: String
    /// What the child writes to standard error.
    let logPath: String
    /// Lines of standard output, for one reader; the newest 16 wait for it. Ends with the child's output.
    let lines: AsyncStream<String>
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private let end: Task<Int32, Never>

    /// Starts the program.
    /// - Throws: ``CommandFailure`` where it cannot be started.
    init(name: String, program: String, arguments: [String], logPath: String) throws {
        self.name = name
        self.logPath = logPath
        process = Process()
        lines = Self.lines(of: output)
        end = Self.end(of: process)
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try Self.logFile(logPath)
        do {
            try process.run()
        } catch {
            throw CommandFailure(.other, "\(name) cannot be started: \(program): \(error.localizedDescription)")
        }
    }

    var processIdentifier: Int32 { process.processIdentifier }

    var hasEnded: Bool { !process.isRunning }

    /// Tells the child to end.
    func closeInput() {
        try? input.fileHandleForWriting.close()
    }

    /// Waits until the child has ended.
    /// - Returns: Its exit status, or 128 plus the signal that ended it.
    func exitStatus() async -> Int32 {
        await end.value
    }

    /// Ends the child: closes its input, and kills it when it has not ended after `grace`.
    /// - Returns: Whether it ended by itself.
    func stop(grace: Duration, time: any TimeSource) async -> Bool {
        closeInput()
        let killer = Task { [process] in
            guard (try? await time.sleep(for: grace)) != nil, process.isRunning else { return false }
            kill(process.processIdentifier, SIGKILL)
            return true
        }
        _ = await exitStatus()
        killer.cancel()
        return await !killer.value
    }

    /// The end of what the child wrote to standard error, for a message.
    func lastLogLines(_ count: Int) -> String {
        guard let handle = FileHandle(forReadingAtPath: logPath) else { return "" }
        defer { try? handle.close() }
        let size = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: size > 16_384 ? size - 16_384 : 0)
        let text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(count).map { "  \($0)\n" }.joined()
    }

    private static func logFile(_ path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw CommandFailure(.other, "the log file \(path) cannot be written; check space and permissions") }
        return handle
    }

    private static func end(of process: Process) -> Task<Int32, Never> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            continuation.yield(process.terminationStatus + (isSignal ? 128 : 0))
            continuation.finish()
        }
        // Unstructured, because anyone may wait for the end, and several may.
        return Task {
            for await status in stream { return status }
            return -1
        }
    }

    private static func lines(of pipe: Pipe) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(16))
        let splitter = Locked(LineSplitter())
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            for line in splitter.withLock({ $0.take(data) }) { continuation.yield(line) }
            guard data.isEmpty else { return }
            handle.readabilityHandler = nil
            continuation.finish()
        }
        return stream
    }
}
