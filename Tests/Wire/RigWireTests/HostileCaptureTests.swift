import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

@Suite("Refuses hostile reports of a capture")
struct HostileCaptureTests {
    @Test(arguments: [
        Hostile<WireFileKey>("shot_id", "empty") { $0.shotID = Data() },
        Hostile("device", "absent") { $0.clearDevice() },
        Hostile("kind", "unknown") { $0.kind = "film" },
    ])
    func fileKey(hostile: Hostile<WireFileKey>) throws {
        var generator = SeededGenerator(seed: 8)
        hostile.check(try generator.fileKey().wire) { _ = try FileKey(wire: $0) }
    }

    @Test("Keeps a refusal with a code of a later version")
    func unknownProblemCode() {
        var wire = WireProblem()
        wire.code = "lensCap"
        wire.message = "node1/cam0: the cap is on\u{1B}[2J"
        let problem = RigProblem(wire: wire)
        #expect(problem.code == .protocolViolation)
        #expect(problem.message.contains("the cap is on"))
        #expect(problem.message.contains("lensCap"))
        #expect(!problem.message.contains("\u{1B}"))
    }

    @Test("Limits the text of a message in the log")
    func endlessSentence() {
        var wire = WireProblem()
        wire.code = "noSpace"
        wire.message = String(repeating: "€", count: 100_000)
        let problem = RigProblem(wire: wire)
        #expect(problem.code == .noSpace)
        #expect(problem.message.utf8.count == WireLimits.problemByteCount / 3 * 3)
    }
}
