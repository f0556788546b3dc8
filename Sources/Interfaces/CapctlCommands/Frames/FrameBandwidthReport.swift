internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import RigWire
internal import SystemClock

/// The data rates of streams.
struct FrameBandwidthReport: Report {
    var streams: [MeasuredStream]

    /// `capctl frames bw --format json`; optional members are absent if nothing was measured.
    struct Item: Encodable {
        var device: String
        var kind: String
        var frames: Int
        var byteCount: Integer64
        var bytesPerFrame: Integer64?
        var bytesPerSecond: Double?
        var width: Int?
        var height: Int?
    }

    var document: [String: [Item]] { ["streams": streams.map(Item.init)] }

    var names: [String]? { streams.deliveringNames }
    var failures: [String] { streams.failures }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("STREAM", .left, .end(12)), .init("FRAMES", .right), .init("SIZE", .right), .init("A FRAME", .right),
            .init("A SECOND", .right),
        ]
        return Table(columns: columns, rows: streams.map(row)).rendered(layout)
    }

    private func row(_ stream: MeasuredStream) -> [String] {
        let tally = stream.tally
        return [
            stream.topic.description, "\(tally.count)", tally.newest.map { "\($0.width)x\($0.height)" } ?? "-",
            tally.count > 0 ? Decimals.byteText(Int64(tally.byteCount / tally.count)) : "-",
            tally.bytesPerSecond.map { Decimals.byteText(Int64($0)) } ?? "-",
        ]
    }
}

extension FrameBandwidthReport.Item {
    init(_ stream: MeasuredStream) {
        let tally = stream.tally
        device = stream.topic.device.description
        kind = stream.topic.kind.rawValue
        frames = tally.count
        byteCount = Integer64(tally.byteCount)
        bytesPerFrame = tally.count > 0 ? Integer64(tally.byteCount / tally.count) : nil
        bytesPerSecond = tally.bytesPerSecond
        width = tally.newest?.width
        height = tally.newest?.height
    }
}

/// The streams to measure, and the duration.
struct FrameOptions: ParsableArguments {
    @Argument(
        help: "Cameras, as node/device (default: every camera that runs).", completion: .devices,
        transform: { try DeviceID($0) })
    var devices: [DeviceID] = []
    @Option(
        help: ArgumentHelp("The kind of picture: preview, full, half, quarter or eighth.", valueName: "kind"),
        transform: FrameOptions.kind)
    var kind: FrameKind = .preview
    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long to measure (5s).", valueName: "duration"),
        transform: FrameOptions.duration)
    var period: Duration = .seconds(5)

    static func kind(_ text: String) throws -> FrameKind {
        guard let kind = FrameKind(rawValue: text) else {
            throw ValidationError("a kind is one of \(FrameKind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return kind
    }

    static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration > .zero, duration <= .seconds(86_400) else {
            throw ValidationError("write a duration with its unit (ns, us, ms, s, min), such as 250ms or 5s")
        }
        return duration
    }

    /// Subscribes to every selected stream, and counts its frames.
    /// - Returns: In order of device.
    func measure(_ client: RigClient) async throws -> [MeasuredStream] {
        let meant = try StreamedCameras.measured(of: try await client.devices(), named: devices)
        let clock = try await client.rigClock(own: try? RigClockID.ofThisProcess())
        return try await withThrowingTaskGroup(of: MeasuredStream.self) { group in
            for device in meant {
                group.addTask { try await MeasuredStream(of: device, kind, period, clock, client) }
            }
            var streams: [MeasuredStream] = []
            for try await stream in group { streams.append(stream) }
            return streams.sorted { $0.topic.device < $1.topic.device }
        }
    }
}

extension [MeasuredStream] {
    /// The cameras of which frames arrived.
    var deliveringNames: [String] { filter { $0.tally.count > 0 }.map(\.topic.device.description) }

    /// A line for each stream without a frame, apart from those of which ``FrameOptions/remark(on:_:)`` says why.
    var failures: [String] {
        filter { $0.tally.count == 0 && $0.problem == nil }.map { "\($0.topic): no frame arrived" }
    }
}

/// One stream and its counts.
struct MeasuredStream: Sendable {
    var topic: FrameTopic
    var tally = FrameTally()
    /// Why the stream's node cannot be reached; nil if it can.
    var problem: String?

    /// Counts for `period` from the first frame on; without a frame it also ends after `period`.
    init(
        of device: DeviceID, _ kind: FrameKind, _ period: Duration, _ clock: RigClockReading, _ client: RigClient
    ) async throws {
        topic = FrameTopic(device: device, kind: kind)
        let frames = await client.frames(of: device, kind: kind)
        do {
            try await count(frames, for: period, clock)
        } catch let error as RigClientError where error.code == .refused(RigProblem.Code.nodeUnreachable.rawValue) {
            problem = "\(error)"
        }
        await frames.close()
    }

    private mutating func count(
        _ frames: FrameSubscription, for period: Duration, _ clock: RigClockReading
    ) async throws {
        let time = SystemTimeSource()
        var end = time.now() + period
        while time.now() < end, let frame = try await frames.next(within: end - time.now()) {
            if tally.count == 0 { end = time.now() + period }
            tally.note(frame, latency: Self.latency(frame, clock))
        }
    }

    /// Latency and its bound, with both ends in rig time; nil if rig time is not known at either end.
    private static func latency(_ frame: ReceivedFrame, _ clock: RigClockReading) -> (Duration, Duration)? {
        guard let dequeued = frame.header.rigDequeued, frame.header.rig?.clock == clock.clock else { return nil }
        let received = clock.rigTime(at: frame.received)
        return (received.time - dequeued.time, received.bound + dequeued.bound)
    }
}

/// The counts of one stream's frames.
struct FrameTally: Sendable {
    /// Maximum number of latencies kept; further frames are only counted.
    private static let latencyLimit = 100_000

    private(set) var count = 0
    private(set) var byteCount = 0
    /// Messages that the node published and that did not arrive here: the newest replaces older ones.
    private(set) var missed: UInt64 = 0
    /// Frames of the camera that the node did not publish; those before the first message are not counted.
    private(set) var drops = OutputDrops()
    private(set) var latencies: [Duration] = []
    /// The largest error of a latency.
    private(set) var latencyBound = Duration.zero
    private(set) var newest: FrameHeader?
    private var times: (first: LocalTime, last: LocalTime)?

    /// - Parameter latency: The time from the frame's dequeue on its node to its arrival here, with its largest error.
    mutating func note(_ frame: ReceivedFrame, latency: (value: Duration, bound: Duration)?) {
        count += 1
        byteCount += frame.byteCount
        if let newest, newest.epoch == frame.header.epoch {
            if frame.header.number > newest.number { missed &+= frame.header.number - newest.number - 1 }
            drops.add(frame.header.drops)
        }
        newest = frame.header
        times = (times?.first ?? frame.received, frame.received)
        if let latency, latencies.count < Self.latencyLimit {
            latencies.append(latency.value)
            latencyBound = max(latencyBound, latency.bound)
        }
    }

    /// Time from the first to the last frame.
    var span: Duration { times.map { $0.last - $0.first } ?? .zero }

    /// Frames per second; nil before the second frame.
    var rate: Double? { count > 1 && span > .zero ? Double(count - 1) / span.seconds : nil }

    /// Bytes per second, from the mean size of all frames.
    var bytesPerSecond: Double? { rate.map { $0 * Double(byteCount) / Double(count) } }
}
