import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension TestRig {
    /// Triggers, and takes the answer whatever it is.
    func trigger(_ arguments: String..., expecting status: Int32) async throws -> ShotAnswer {
        let outcome = try await Capctl.outcome(of: try startTrigger(arguments))
        #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
        return try outcome.json(ShotAnswer.self)
    }

    /// Starts a trigger and goes on.
    func startTrigger(_ arguments: [String]) throws -> RunningProgram {
        try capctl.start(["trigger"] + arguments + ["--format", "json"])
    }

    func shot(_ id: ShotID) async throws -> ShotAnswer {
        try await capctl.ask(ShotAnswer.self, "shots", "show", id.description)
    }

    /// The library holds what the manifest of the shot says, whole, and nothing else: no half file, none twice, no part
    /// of one.
    func expectSound(_ answer: ShotAnswer) async throws {
        let verified = try await capctl.run("shots", "verify", answer.shot.id.description, "--format", "json")
        #expect(verified.status == 0, "\(verified.output)")
        let stills = StillCheck.stills(in: answer.folder)
        #expect(stills == answer.storedPaths.sorted())
        if ExternalTool.isExpected("jpeginfo") { try await StillCheck.expectWhole(stills) }
        try await StillCheck.expectDigests(answer.files)
        let parts = try FileManager.default.contentsOfDirectory(atPath: library + "/.incoming")
        #expect(parts.isEmpty)
    }

    /// Waits until a node holds nothing that the library has.
    func awaitEmptySpool(_ node: String) async throws {
        let captures = spool(node) + "/captures"
        try await FolderWatch(captures).waitUntilEmpty(within: .seconds(20))
    }
}

extension ShotID {
    static func fresh() -> ShotID {
        var generator = SystemRandomNumberGenerator()
        return ShotID(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000), using: &generator)
    }
}
