import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import Testing

/// Recordings in several files, as they are named and told.
@Suite struct SegmentTests {
    @Test func `a file of a recording is taken for another one`() throws {
        let segments = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        let raws = CameraRawFormat.allCases.map(AssetKind.cameraRaw)
        let kinds = AssetKind.allCases + segments.dropFirst().flatMap(AssetKind.ofRecording) + raws
        for kind in kinds { #expect(AssetKind(rawValue: kind.rawValue) == kind) }
        #expect(Set(kinds.map(\.rawValue)).count == kinds.count && Set(kinds.map(\.fileName)).count == kinds.count)
        #expect(AssetKind(rawValue: "movie") == .movie(.first) && AssetKind(rawValue: "movie.02")?.segment?.value == 2)
        #expect(AssetKind(rawValue: "frames.99")?.fileName == "frames.99.jsonl")
        #expect(AssetKind(rawValue: "cameraRaw.nef")?.fileName == "cameraRaw.nef")
        let names = segments.dropFirst().map { AssetKind.movie($0).fileName }
        #expect(names == names.sorted(), "a folder lists them in another order")
    }

    @Test(arguments: [
        "movie.", "movie.0", "movie.00", "movie.01", "movie.1", "movie.2", "movie.100", "movie.-2", "movie.+2",
        "movie.002",
        "movie.02.", "movie.02.mov", "cameraRaw", "cameraRaw.", "cameraRaw.NEF", "cameraRaw.jpg", "cameraRaw.../x",
        ".02", "photo.02", "preview.02", "Movie.02", "",
    ])
    func `what no node says is taken for a file`(word: String) {
        #expect(AssetKind(rawValue: word) == nil)
    }

    @Test func `a spool that is full of files of a recording makes a report that no coordinator takes`() throws {
        var generator = SeededGenerator(seed: 5)
        var report = try generator.captureReport()
        let segments = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        report.failed = []
        report.owed = []
        report.files = try segments.flatMap(AssetKind.ofRecording).map { kind in
            SpooledFile(kind: kind, byteCount: 5, digest: try generator.digest())
        }
        // Each report says what the one before owed, until all are told.
        var told: [SpooledFile] = []
        while !report.files.isEmpty {
            let read = try CaptureReport(wire: report.wire)
            #expect(read.files == Array(report.files.prefix(WireLimits.filesPerCapture)))
            told += read.files
            report.files.removeFirst(read.files.count)
            #expect(read.owed == Array(report.files.prefix(2).map(\.kind)))
        }
        #expect(told.count == 2 * SegmentNumber.limit)
    }

    @Test func `a disk that refuses many files of a recording makes a report that no coordinator takes`() throws {
        var generator = SeededGenerator(seed: 6)
        var report = try generator.captureReport()
        report.files = []
        report.owed = AssetKind.ofRecording(try #require(SegmentNumber(4)))
        report.failed = (1...3).compactMap { SegmentNumber($0) }.flatMap(AssetKind.ofRecording).map {
            FailedFile(kind: $0, problem: RigProblem(.inputOutput, "no"))
        }
        let first = try CaptureReport(wire: report.wire)
        #expect(first.failed == Array(report.failed.prefix(2)) && first.owed == Array(report.failed[2..<4].map(\.kind)))
        report.failed.removeFirst(4)
        let last = try CaptureReport(wire: report.wire)
        #expect(last.failed == report.failed && last.owed == report.owed)
    }
}

@Suite struct FeedFrameTests {
    @Test("Finds the message behind its topic", arguments: 1...20)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let event = try generator.feedEvent()
        var message = WireFeedMessage()
        message.event = event.wire
        let frame = try FeedFrame(message)
        #expect(frame.topic == .event(event.source.event.name))
        #expect(frame.bytes.starts(with: Array("event/\(event.source.event.name)\0".utf8)))
        let arrived = try FeedFrame(bytes: frame.bytes)
        #expect(arrived == frame)
        #expect(try FeedEvent(wire: arrived.message().event) == event)
    }

    @Test("Publishes beats under a topic that subscribers have")
    func beat() throws {
        var message = WireFeedMessage()
        message.beat.lastSequence = 7
        let frame = try FeedFrame(message)
        #expect(frame.bytes.starts(with: Array("beat\0".utf8)))
        #expect(try FeedFrame(bytes: frame.bytes).message().beat.lastSequence == 7)
    }

    @Test(
        "A subscriber falls over bytes that are not a feed message",
        arguments: [
            "", "\0", "beat", "event/\0", "event/a b\0", "other\0", "event/" + String(repeating: "a", count: 57) + "\0",
            String(repeating: "a", count: 100_000), "event/\u{E9}\0",
        ])
    func hostileTopic(text: String) {
        #expect(throws: WireError.self) { try FeedFrame(bytes: Array(text.utf8)) }
    }

    @Test("Tells events of different topics apart")
    func topicAndContentDiffer() throws {
        var message = WireFeedMessage()
        message.beat.lastSequence = 7
        let payload = try FeedFrame(message).payload
        let frame = try FeedFrame(bytes: Array("event/device.running\0".utf8) + payload)
        #expect(throws: WireError.self) { try frame.message() }
        let empty = try FeedFrame(bytes: Array("beat\0".utf8))
        #expect(throws: WireError.self) { try empty.message() }
        #expect(throws: WireError.self) { try FeedFrame(WireFeedMessage()) }
    }
}

@Suite struct SilenceWatchTests {
    private let start = LocalTime(nanoseconds: 5_000_000_000)

    private func at(_ milliseconds: Int64) -> LocalTime { start + .milliseconds(milliseconds) }

    @Test("Reports silence only where something was asked")
    func unasked() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        #expect(watch.deadline == nil)
        #expect(watch.checkSilence(at: at(100_000)) == false)
    }

    @Test("Reports a silence once, and keeps its time when asked again")
    func silent() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        watch.asked(at: at(0))
        watch.asked(at: at(1_500))
        #expect(watch.deadline == at(2_000))
        #expect(watch.checkSilence(at: at(1_999)) == false)
        #expect(watch.checkSilence(at: at(2_000)) == true)
        #expect(watch.checkSilence(at: at(9_000)) == false)
    }

    @Test("Reports no silence of a connection that is heard")
    func heard() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        watch.asked(at: at(0))
        watch.heard()
        #expect(watch.checkSilence(at: at(3_000)) == false)
        watch.asked(at: at(3_000))
        #expect(watch.checkSilence(at: at(4_999)) == false)
        #expect(watch.checkSilence(at: at(5_000)) == true)
    }

    @Test(
        "A link too slow for the first patience never gets an answer, or a quick one is waited for as long as a slow one"
    )
    func morePatient() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(4), last: .seconds(60)))
        watch.asked(at: at(0))
        #expect(watch.checkSilence(at: at(4_000)) == true)
        watch.asked(at: at(4_000))
        #expect(watch.deadline == at(12_000))
        watch.heard(isAnswer: false)
        watch.asked(at: at(5_000))
        #expect(watch.deadline == at(13_000), "what was asked may still be on its way")
        watch.heard()
        watch.asked(at: at(6_000))
        #expect(watch.deadline == at(10_000))
    }
}
