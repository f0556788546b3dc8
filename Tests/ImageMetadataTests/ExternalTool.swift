import Foundation

/// A program of the machine that the tests use as an independent judge.
struct ExternalTool {
    let name: String

    /// Whether a test that needs these programs runs: a missing one is a failure in CI and a skip elsewhere.
    static func shallRun(_ names: String...) -> Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || names.allSatisfy { ExternalTool(name: $0).path != nil }
    }

    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    struct Missing: Error { let name: String }

    /// Runs to the end; standard output and exit status.
    func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
        guard let path else { throw Missing(name: name) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (output.trimmingCharacters(in: .whitespacesAndNewlines), process.terminationStatus)
    }
}

/// Runs a body with a fresh folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
