import Foundation

/// Runs a program that nobody here wrote, to check what the code under test made.
public enum ExternalTool {
    /// How a program ended and what it said.
    public struct Outcome: Sendable {
        public var status: Int32
        /// Standard output and standard error together.
        public var output: String
    }

    /// Runs a program to its end, blocking the calling thread.
    /// - Parameter command: Name, looked up in `PATH`, and arguments.
    /// - Throws: What the system says when it cannot be started.
    public static func run(_ command: String...) throws -> Outcome {
        try run(command)
    }

    /// Runs a program to its end, blocking the calling thread; see ``run(_:)-(String...)``.
    public static func run(_ command: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }

    /// Whether a test that needs this program runs: where it is installed, and always where `CI=true`, so that there its
    /// absence is a failure.
    public static func isExpected(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || (try? run("which", name))?.status == 0
    }
}
