import CaptureTestSupport
import Foundation
import Testing

/// The example `avcam`, run with virtual cameras into a folder of its own.
struct AVCamRun {
    let folder: TemporaryFolder
    /// Everything it said, line by line.
    private(set) var lines: [String] = []

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A run to its end, which has to be a good one.
    static func of(_ arguments: String...) async throws -> AVCamRun {
        var run = try AVCamRun()
        try await run.go(arguments)
        return run
    }

    /// Runs a command to its end, in the same folder as those before.
    mutating func go(_ arguments: [String]) async throws {
        let outcome = try await Capctl.outcome(of: try start(arguments), within: .seconds(50))
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)\n\(outcome.output)")
        lines = outcome.output.split(separator: "\n").map(String.init)
    }

    /// Starts a command and goes on.
    func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "avcam", program: try Programs.path("avcam"),
            arguments: Array(arguments.prefix(1)) + [folder.path] + arguments.dropFirst(), log: folder.path + "/log")
    }

    /// The first word of each step that was told of a capture.
    func steps(of name: String) -> [String] {
        lines.filter { $0.hasPrefix(name + ": ") }
            .compactMap { $0.dropFirst(name.count + 2).split(separator: " ").first.map(String.init) }
            .filter { $0 != "note:" && $0 != "LIVE" }
    }

    /// What a device's session told, without its sentences.
    func notices(of device: String) -> [String] {
        lines.filter { $0.hasPrefix(device + ": ") }.map { line in
            let words = line.dropFirst(device.count + 2).split(separator: " ").map { $0.filter { $0 != ":" } }
            return words.prefix(words[0] == "runtimeError" ? 1 : 2).joined(separator: " ")
        }
    }

    /// Files in the folder whose names end like that, in order of their captures.
    func files(_ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { $0.hasSuffix(suffix) }
            .map { folder.path + "/" + $0 }
    }

    /// Nothing is left in the spool, where files stay until they are saved.
    func expectEmptySpool() throws {
        for part in ["captures", "recordings", "deferred"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.spool/" + part)
            #expect(names.isEmpty)
        }
    }
}
