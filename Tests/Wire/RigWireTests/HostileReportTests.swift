import CaptureModel
import CaptureTestSupport
import Foundation
import RigWire
import Testing

/// Reports of a capture that no honest node writes.
@Suite struct HostileReportTests {
    /// A member of a report, what a peer writes there, and the member that is named as wrong.
    struct Lie: CustomTestStringConvertible, Sendable {
        let member: String
        /// JSON; nil leaves the member out.
        let value: String?
        let named: String

        init(_ member: String, _ value: String?, named: String? = nil) {
            self.member = member
            self.value = value
            self.named = named ?? member
        }

        var testDescription: String { "\(member): \(value?.prefix(60) ?? "absent")" }
    }

    private static let file = """
        {"kind": "photo", "byteCount": 1, "digest": "\(String(repeating: "0", count: 64))"}
        """

    private static func list(_ element: String, _ count: Int) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    static let lies = [
        Lie("key", nil),
        Lie("key.shot", "\"\""),
        Lie("key.shot", "\"0190a8e0-0000-4000-8000-000000000000\""),
        Lie("key.device", nil),
        Lie("key.device", "\"south/../x\""),
        Lie("resolved", nil),
        Lie("timing", nil),
        Lie("files", nil),
        Lie("files", list(file, 2)),
        Lie("files", list(file, 9)),
        Lie("files[0].kind", "\"../../x\""),
        Lie("files[0].kind", "\"movie.100\""),
        Lie("files[0].byteCount", "0"),
        Lie("files[0].byteCount", "-1"),
        Lie("files[0].byteCount", "9223372036854775807"),
        Lie("files[0].byteCount", "9223372036854775808"),
        Lie("files[0].byteCount", "0.5"),
        Lie("files[0].digest", "\"00\""),
        Lie("owed", "[\"film\"]", named: "owed[0]"),
        Lie("owed", list("\"pairedVideo\"", 4)),
        Lie("owed", "[\"photo\"]", named: "files"),
        Lie("failed", "[{}]", named: "failed[0].kind"),
        Lie("failed", list("{\"kind\": \"pairedVideo\", \"problem\": {\"code\": \"noSpace\", \"message\": \"\"}}", 4)),
        Lie("resolved.width", "0"),
        Lie("resolved.height", "65536"),
        Lie("resolved.streamFormat", nil),
        Lie("resolved.streamFormat.pixelFormat", "\"film\""),
        Lie("resolved.streamFormat.width", "0"),
        Lie("resolved.streamFormat.frameIntervalNanoseconds", "0"),
        Lie("resolved.orientation", "1"),
        Lie("resolved.thumbnail", "{\"width\": 0, \"height\": 1}", named: "resolved.thumbnail.width"),
        Lie("resolved.preview", "{\"width\": 1, \"height\": 65536}", named: "resolved.preview.height"),
        Lie("resolved.bracketCount", "6"),
        Lie("resolved.expectedGapNanoseconds", "-1"),
        Lie("resolved.codec", "\"film\""),
        Lie("resolved.raw.bits", "17"),
        Lie("resolved.livePhoto.dimensions", nil),
        Lie("resolved.livePhoto.preRollNanoseconds", "-1"),
        Lie("resolved.livePhoto.postRollNanoseconds", "-1"),
        Lie("timing.sequence", "9223372036854775808"),
        Lie("timing.sequence", "-1"),
        Lie("timing.midExposure.boundNanoseconds", "-1"),
        Lie("timing.midExposure.boundNanoseconds", "-9223372036854775808"),
        Lie("timing.exposureNanoseconds", "-1"),
        Lie("timing.skewNanoseconds", "1e300"),
        Lie("timing.stampOrigin", "\"film\""),
        Lie("timing.sharedError.measurement", "\"film\""),
        Lie("timing.sharedError.boundNanoseconds", "-1"),
        Lie("timing.sharedError.boundNanoseconds", "9223372036854775807"),
        Lie("timing.settings", "{\"state\": \"inForce\"}", named: "timing.settings.revision"),
        Lie("timing.settings", "{\"state\": \"film\"}", named: "timing.settings.state"),
        Lie("streamGap.nanoseconds", "-1"),
        Lie("movie.frameCount", "-1"),
        Lie("movie.missingFrames", "9223372036854775807"),
        Lie("movie.droppedFrames", "-1"),
        Lie("movie.durationNanoseconds", "-1"),
        Lie("movie.silenceNanoseconds", "-1"),
        Lie("movie.end", "\"film\""),
        Lie("movie.segmentCount", "100"),
        Lie("movie.pace.intervalCount", "-1"),
        Lie("movie.pace.spanNanoseconds", "-1"),
        Lie("movie.pace.boundNanoseconds", "-1"),
        Lie("clip.frameOffsets", "[]"),
        Lie("clip.frameOffsets", "[1]", named: "clip.frameOffsets[0]"),
        Lie("clip.frameOffsets", "[0, 0]", named: "clip.frameOffsets[1]"),
        Lie("clip.frameOffsets", "[0, -9223372036854775808]", named: "clip.frameOffsets[1]"),
        Lie("clip.frameOffsets", "[0, 1, -9223372036854775808]", named: "clip.frameOffsets[2]"),
        Lie("clip.frameOffsets", "[0, 10000000001]", named: "clip.frameOffsets[1]"),
        Lie("clip.frameOffsets", list("0", 1201)),
        Lie("clip.stillFrame", "1200"),
        Lie("clip.stillFrame", "-1"),
        Lie("clip.durationNanoseconds", "-1"),
        Lie("clip.missingFrames", "-1"),
        Lie("clip.start.boundNanoseconds", "-1"),
        Lie("clip.silences", list("{\"startNanoseconds\": 0, \"durationNanoseconds\": 1, \"cause\": \"overrun\"}", 33)),
        Lie("clip.silences[0].startNanoseconds", "-1"),
        Lie("clip.silences[0].durationNanoseconds", "-1"),
        Lie("clip.silences[0].cause", "\"film\""),
        Lie("clip.settings", list("{\"startNanoseconds\": 0}", 33)),
        Lie("clip.settings[0].startNanoseconds", "-1"),
    ]

    @Test(arguments: lies) func `a report with a lie is refused, and the member named`(lie: Lie) throws {
        // The value is written as it is, since it may be a number that no value of this language keeps.
        let marker = lie.value.map { _ in "\u{1F4F7}" }
        let text = try Self.text(try Self.tree(), replacing: lie.member, by: marker)
            .replacingOccurrences(of: "\"\u{1F4F7}\"", with: lie.value ?? "")
        #expect(Self.fault(text) == lie.named)
    }

    @Test func `a report whose members are of another type is refused, and the member named`() throws {
        let paths = Self.members(of: try Self.tree(), at: "")
        #expect(paths.count > 60)
        for path in paths {
            let text = try Self.text(try Self.tree(), replacing: path, by: [["film"]])
            let fault = try #require(Self.fault(text), "\(path) may be anything")
            #expect(fault.hasPrefix(path), "\(path) is wrong, and \(fault) is named")
        }
    }

    @Test func `a report of a later version is read without what this version does not know`() throws {
        let report = try Self.report()
        var tree = try Self.tree()
        tree["lens"] = ["cap": [1, 2]]
        var timing = try #require(tree["timing"] as? [String: Any])
        timing["moon"] = "full"
        tree["timing"] = timing
        #expect(try CaptureReport(wire: try Self.text(tree)) == report)
    }

    @Test func `a report that is too large, too deep, ambiguous or no document is refused`() throws {
        let text = try Self.text(try Self.tree())
        let start = text.dropLast()
        for wrong in [
            "", "film", "[]", "{}", String(start), text + text,
            start + ",\"lens\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
            start + ",\"lens\":" + String(repeating: "[", count: 100_000),
            start + ",\"lens\":\"" + String(repeating: "x", count: WireLimits.reportByteCount) + "\"}",
            start + ",\"lens\":1,\"lens\":2}",
        ] {
            #expect(throws: WireError.self, "\(wrong.prefix(40))…\(wrong.suffix(20))") {
                try CaptureReport(wire: wrong)
            }
        }
    }

    @Test func `a problem with a code of a later version does not cost the report`() throws {
        var report = try Self.report()
        report.files[0].shortfall = RigProblem(.noSpace, "the cap is on\u{1B}[2J")
        let text = report.wire.replacingOccurrences(of: "\"noSpace\"", with: "\"lensCap\"")
        let problem = try #require(try CaptureReport(wire: text).files[0].shortfall)
        #expect(problem.code == .protocolViolation && problem.message.contains("the cap is on"))
        #expect(problem.message.contains("lensCap") && !problem.message.contains("\u{1B}"))
    }

    @Test func `counts that a driver's nonsense has made do not cost the report`() throws {
        var report = try Self.report()
        report.clip?.missingFrames = 1 << 40
        report.movie?.missingFrames = .max
        report.movie?.frameCount = -1
        let read = try CaptureReport(wire: report.wire)
        #expect(read.clip?.missingFrames == Int(UInt32.max))
        #expect(read.movie?.missingFrames == 1 << 40 && read.movie?.frameCount == 0)
    }

    @Test func `texts are cut on both sides, and what is for the node alone stays there`() throws {
        var report = try Self.report()
        let long = String(repeating: "€", count: 100_000)
        report.resolved.livePhotoNote = long
        report.failed = [FailedFile(kind: .photoHEIC, problem: RigProblem(.noSpace, long))]
        report.recorded = RecordingTally()
        let written = report.wire
        #expect(written.utf8.count < 30_000 && !written.contains("recorded"))
        let read = try CaptureReport(wire: written)
        #expect(read.resolved.livePhotoNote?.utf8.count == WireLimits.reasonByteCount / 3 * 3)
        #expect(read.failed[0].problem.message.utf8.count == WireLimits.reasonByteCount / 3 * 3)
        let endless = written.replacingOccurrences(of: "€€€", with: "€€€€€€€€€")
        #expect(try CaptureReport(wire: endless) == read)
    }

    // MARK: - Documents

    /// A report with every member, and one element in each list.
    private static func report() throws -> CaptureReport {
        var generator = SeededGenerator(seed: 7)
        var report = try generator.captureReport()
        let size = generator.pixelSize()
        report.resolved.thumbnail = size
        report.resolved.preview = size
        (report.resolved.isFlashUsed, report.resolved.bracketCount, report.resolved.mirrored) = (true, 2, true)
        (report.resolved.photoFormat, report.resolved.expectedGapNanoseconds) = (generator.videoFormat(), 5)
        report.resolved.livePhoto = LivePhotoMovie(dimensions: size, codec: .h264, motionPhoto: true)
        (report.resolved.livePhotoNote, report.resolved.codec) = ("no sound", .heic)
        report.resolved.raw = .samples(ResolvedSamples(dimensions: size, bits: 12, embeddedThumbnail: size))
        report.resolved.rawProblem = RigProblem(.noMemory, "no")
        report.resolved.movie = ResolvedMovie(hasSound: false, note: "no microphone")
        (report.timing.exposureNanoseconds, report.timing.settings) = (1, .inForce(generator.settingsID()))
        report.timing.stampOrigin = .driver
        report.timing.midExposure.boundNanoseconds = 1_000_000
        report.timing.sharedError = generator.sharedError(within: report.timing.midExposure.bound)
        report.files = [
            SpooledFile(
                kind: .photo, byteCount: 1, digest: try generator.digest(), shortfall: RigProblem(.noSpace, "full"))
        ]
        report.owed = [.pairedVideo]
        report.failed = [FailedFile(kind: .photoHEIC, problem: RigProblem(.encoderFailed, "no"))]
        var clip = generator.clipTiming()
        clip.silences = [generator.clipSilence()]
        clip.settings = [
            ClipSettings(
                startNanoseconds: 0, settings: .changing(from: generator.settingsID(), to: generator.settingsID()))
        ]
        report.clip = clip
        report.streamGap = StreamGap(
            localStart: LocalTime(nanoseconds: 1), start: RigTime(nanoseconds: 1), nanoseconds: 1)
        report.movie = RecordedMovie(
            frameCount: 1, durationNanoseconds: 1, end: .stopped, problem: RigProblem(.noSpace, "full"), note: "dim",
            segmentCount: 1, pace: FramePace(intervalCount: 1, spanNanoseconds: 1, boundNanoseconds: 1))
        return report
    }

    private static func tree() throws -> [String: Any] {
        let tree = try JSONSerialization.jsonObject(with: Data(try report().wire.utf8))
        return try #require(tree as? [String: Any])
    }

    private static func text(_ tree: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: tree), as: UTF8.self)
    }

    private static func text(_ tree: Any, replacing path: String, by value: Any?) throws -> String {
        let steps = path.replacing("[", with: ".").replacing("]", with: "").split(separator: ".").map(String.init)
        return try text(try #require(replacing(steps[...], in: tree, by: value)))
    }

    private static func replacing(_ path: ArraySlice<String>, in tree: Any, by value: Any?) -> Any? {
        guard let step = path.first else { return value }
        if var list = tree as? [Any], let index = Int(step),
            let new = replacing(path.dropFirst(), in: list[index], by: value)
        {
            list[index] = new
            return list
        }
        var object = tree as? [String: Any] ?? [:]
        object[step] = replacing(path.dropFirst(), in: object[step] ?? [String: Any](), by: value)
        return object
    }

    /// The paths of all values that are neither objects nor lists.
    private static func members(of tree: Any, at path: String) -> [String] {
        if let object = tree as? [String: Any] {
            return object.flatMap { members(of: $0.value, at: path.isEmpty ? $0.key : "\(path).\($0.key)") }
        }
        if let list = tree as? [Any] {
            return list.prefix(2).enumerated().flatMap { members(of: $0.element, at: "\(path)[\($0.offset)]") }
        }
        return [path]
    }

    /// The member that is refused; nil if none is.
    private static func fault(_ text: String) -> String? {
        do throws(WireError) {
            _ = try CaptureReport(wire: text)
            return nil
        } catch {
            return error.field
        }
    }
}
