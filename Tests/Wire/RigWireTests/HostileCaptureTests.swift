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
        Hostile<WireCaptureReport>("shot_id", "empty") { $0.shotID = Data() },
        Hostile("shot_id", "a short one") { $0.shotID = Data(repeating: 0, count: 15) },
        Hostile("shot_id", "another version") { $0.shotID[6] = 0x40 },
        Hostile("device", "absent") { $0.clearDevice() },
        Hostile("device", "a path") { $0.device.device = "../x" },
        Hostile("resolved", "absent") { $0.clearResolved() },
        Hostile("timing", "absent") { $0.clearTiming() },
        Hostile("files", "empty") { ($0.files, $0.owed) = ([], []) },
        Hostile("files", "a kind twice") { $0.files.append($0.files[0]) },
        Hostile("files", "too many") { $0.files = Array(repeating: $0.files[0], count: 9) },
        Hostile("kind", "a path") { $0.files[0].kind = "../../x" },
        Hostile("byte_count", "0") { $0.files[0].byteCount = 0 },
        Hostile("byte_count", "negative") { $0.files[0].byteCount = -1 },
        Hostile("byte_count", "largest") { $0.files[0].byteCount = .max },
        Hostile("sha256", "a short one") { $0.files[0].sha256 = Data(repeating: 0, count: 31) },
        Hostile("width", "0") { $0.resolved.width = 0 },
        Hostile("height", "largest") { $0.resolved.height = .max },
        Hostile("stream_format", "absent") { $0.resolved.clearStreamFormat() },
        Hostile("orientation_degrees", "askew") { $0.resolved.orientationDegrees = 1 },
        Hostile("width", "0") { ($0.resolved.thumbnail.width, $0.resolved.thumbnail.height) = (0, 1) },
        Hostile("height", "largest") { ($0.resolved.preview.width, $0.resolved.preview.height) = (1, .max) },
        Hostile("bound_ns", "negative") { $0.timing.boundNs = -1 },
        Hostile("bound_ns", "smallest") { $0.timing.boundNs = .min },
        Hostile("exposure_ns", "negative") { $0.timing.exposureNs = -1 },
        Hostile("owed", "unknown") { $0.owed = ["film"] },
        Hostile("owed", "too many") { $0.owed = Array(repeating: "pairedVideo", count: 4) },
        Hostile("files", "a kind that is owed too") { $0.owed = ["photo"] },
        Hostile("kind", "unknown") { $0.failed = [WireFailedFile()] },
        Hostile("intervals_ns", "zero") { $0.clip.intervalsNs = [0] },
        Hostile("intervals_ns", "negative") { $0.clip.intervalsNs = [.min] },
        Hostile("intervals_ns", "too many") { $0.clip.intervalsNs = Array(repeating: 1, count: 1200) },
        Hostile("still_frame", "no frame") { ($0.clip.intervalsNs, $0.clip.stillFrame) = ([1], 2) },
        Hostile("duration_ns", "negative") { $0.clip.durationNs = -1 },
        Hostile("bound_ns", "negative") { $0.clip.boundNs = -1 },
        Hostile("dimensions", "absent") { $0.resolved.livePhoto.clearDimensions() },
        Hostile("pre_roll_ns", "negative") {
            $0.resolved.livePhoto.dimensions.width = 1
            $0.resolved.livePhoto.dimensions.height = 1
            $0.resolved.livePhoto.preRollNs = -1
        },
        Hostile("sequence", "too large") { $0.timing.sequence = .max },
    ])
    func report(hostile: Hostile<WireCaptureReport>) throws {
        var generator = SeededGenerator(seed: 7)
        var report = try generator.captureReport()
        report.files = [SpooledFile(kind: .photo, byteCount: 1, digest: try generator.digest())]
        (report.owed, report.failed) = ([.pairedVideo], [])
        report.clip = generator.clipTiming()
        hostile.check(report.wire) { _ = try CaptureReport(wire: $0) }
    }

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
