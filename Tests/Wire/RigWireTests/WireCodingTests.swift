import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import Testing

@Suite struct WireCodingTests {
    @Test("Limits the size of a message")
    func oversizedBytes() {
        let bytes = [UInt8](repeating: 0, count: WireCoding.clock.maximumByteCount + 1)
        let error = #expect(throws: WireError.self) { try WireCoding.clock.decode(WireClockProbe.self, from: bytes) }
        #expect(error?.code == .oversized)
        #expect(error?.message == "ClockProbe")
    }

    @Test("Refuses to send a message that the peer will refuse")
    func oversizedMessage() {
        var document = WireShotDocument()
        document.manifest.content = Data(repeating: 0, count: WireCoding.client.maximumByteCount)
        let error = #expect(throws: WireError.self) { try WireCoding.client.encode(document) }
        #expect(error?.code == .oversized)
    }

    @Test("Encodes a capture with every kind of deferred file")
    func companions() throws {
        let kinds = AssetKind.allCases.filter { $0.isMadeLater && $0.segment == nil }
        #expect(kinds.count == WireLimits.companionsPerCapture)
        var generator = SeededGenerator(seed: 3)
        var report = try generator.captureReport()
        (report.files, report.owed, report.failed) = ([], kinds, [])
        #expect(try CaptureReport(wire: report.wire).owed == kinds)
    }

    /// What Unicode Standard Annex 9 lists as embeddings, overrides and isolates, and the separators of lines and paragraphs.
    static let turns =
        ["\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}"]
        + ["\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}"]

    @Test(arguments: turns) func `Takes no text from a peer that turns the text around it, or separates lines`(
        turn: String
    ) throws {
        #expect("Sony\(turn)gpj.exe".sentence(limit: 100) == "Sony\u{FFFD}gpj.exe")
        #expect(throws: WireError.self) { try FieldReader("Hello").word("boot\(turn)", "boot_id") }
        var wire = try largestDevice(0).wire
        wire.device.model = "a\(turn)b"
        #expect(try DeviceStatus(wire: wire).device.model == "a\u{FFFD}b")
    }

    @Test func `Leaves letters that are written from right to left, and their marks`() throws {
        let text = "\u{200F}מצלמה\u{200E} 🏳\u{FE0F}\u{200D}🌈"
        #expect(text.sentence(limit: 100) == text)
    }

    private func largestDevice(_ index: Int) throws -> DeviceStatus {
        let word = String(repeating: "w", count: WireLimits.wordByteCount)
        let hardware = String(repeating: "h", count: WireLimits.hardwareByteCount)
        let name = String(repeating: "n", count: 24)
        let device = DeviceDescription(
            id: DeviceID(node: try NodeName(name), device: try DeviceName(name)), type: DeviceType(rawValue: word),
            position: Position(rawValue: word), labels: Array(repeating: word, count: WireLimits.labels),
            purpose: String(repeating: "p", count: 1000), driver: word, make: hardware, model: hardware,
            serial: hardware)
        var counters = FrameCounters()
        counters.delivered = .max >> 1
        counters.droppedByDevice = .max >> 1
        counters.droppedByNode = .max >> 1
        counters.flaggedErroneous = .max >> 1
        counters.torn = .max >> 1
        counters.stalls = .max >> 1
        counters.trimmed = .max >> 1
        counters.damaged = .max >> 1
        let phase = FramePhase(
            midExposure: RigTime(nanoseconds: .min), periodNanoseconds: 3_600_000_000_000,
            bound: .nanoseconds(Int64.max), periodBound: .nanoseconds(Int64.max))
        let format = VideoFormat(pixelFormat: .mjpeg, width: 65_535, height: 65_535, frameInterval: .seconds(3600))
        let condition = DeviceCondition(
            state: .unreachable, reason: String(repeating: "r", count: 10_000), format: format, counters: counters,
            phase: phase)
        return DeviceStatus(device: device, condition: condition)
    }

    @Test("Encodes the hello of a node with many cameras and captures")
    func largestHello() throws {
        var generator = SeededGenerator(seed: 1)
        var hello = WireHello()
        hello.devices = try (0..<WireLimits.devicesPerNode).map { try largestDevice($0).wire }
        var largest = try generator.captureReport()
        // A line feed takes two bytes in JSON.
        let text = String(repeating: "\n", count: WireLimits.problemByteCount)
        let problem = RigProblem(.inputOutput, text)
        largest.files = [try generator.spooledFile()]
        largest.files[0].shortfall = problem
        largest.movie = RecordedMovie(
            frameCount: 1 << 40, missingFrames: 1 << 40, droppedFrames: 1 << 40, durationNanoseconds: .max,
            silenceNanoseconds: .max, end: .diskNearlyFull, problem: problem, note: text,
            segmentCount: SegmentNumber.limit,
            pace: FramePace(intervalCount: 1 << 40, spanNanoseconds: .max, boundNanoseconds: .max))
        (largest.resolved.rawProblem, largest.resolved.livePhotoNote) = (problem, text)
        largest.resolved.movie = ResolvedMovie(hasSound: false, note: text)
        largest.failed = Array(
            repeating: FailedFile(kind: .pairedVideo, problem: problem), count: WireLimits.companionsPerCapture)
        largest.key.device = try DeviceID(wire: hello.devices[0].device.id)
        let start = BoundedRigTime(time: RigTime(nanoseconds: .min), bound: .nanoseconds(Int64.max))
        largest.timing = FrameTiming(
            sequence: .max >> 1, localMidExposure: LocalTime(nanoseconds: .min), midExposure: start,
            skewNanoseconds: .min, exposureNanoseconds: .max, dequeued: RigTime(nanoseconds: .min),
            settings: .changing(from: generator.settingsID(), to: generator.settingsID()))
        largest.files = Array(repeating: largest.files[0], count: WireLimits.filesPerCapture)
        largest.files.indices.forEach { largest.files[$0].byteCount = WireLimits.fileByteCount }
        let silence = ClipSilence(startNanoseconds: .max, durationNanoseconds: .max, cause: .droppedByNode)
        let settings = ClipSettings(startNanoseconds: .max, settings: largest.timing.settings)
        largest.clip = ClipTiming(
            localStart: LocalTime(nanoseconds: .min), start: start,
            frameOffsets: (0..<Int64(LivePhotoMovie.frameLimit)).map { $0 * WireLimits.clipInterval.upperBound },
            stillFrame: 0, durationNanoseconds: .max, missingFrames: 0,
            silences: Array(repeating: silence, count: ClipSilence.limit),
            settings: Array(repeating: settings, count: ClipSettings.limit))
        #expect(largest.wire.utf8.count <= WireLimits.reportByteCount)
        hello.inventory = Array(repeating: largest.wire, count: WireLimits.inventoryPage)
        var message = WireAgentMessage()
        message.hello = hello
        #expect(throws: Never.self) { try WireCoding.control.encode(message) }
    }

    @Test("Divides long events into batches of acceptable size")
    func largestBatches() throws {
        var generator = SeededGenerator(seed: 2)
        var event = try generator.feedEvent().wire
        event.event.name = String(repeating: "e", count: 56)
        event.event.details = [:]
        for index in 0..<WireLimits.details {
            let key = "\(index)" + String(repeating: "k", count: WireLimits.wordByteCount - 2)
            event.event.details[key] = String(repeating: "v", count: WireLimits.reasonByteCount)
        }
        var numbered = WireNumberedEvent()
        numbered.event = event.event
        var batch = WireAgentMessage()
        batch.events.events = Array(repeating: numbered, count: WireLimits.eventsPerBatch)
        #expect(throws: Never.self) { try WireCoding.control.encode(batch) }
        var replay = WireClientReply()
        replay.events.events = Array(repeating: event, count: WireLimits.eventsPerReplay)
        #expect(throws: Never.self) { try WireCoding.client.encode(replay) }
        var message = WireFeedMessage()
        message.event = event
        #expect(throws: Never.self) { try FeedFrame(message) }
    }
}
