internal import ArgumentParser
internal import CaptureModel
internal import CaptureSystem
internal import RigClient
internal import RigWire

/// Which streams a command measures, and for how long.
struct FrameOptions: ParsableArguments {
    @Argument(help: "Cameras, as node/device; without any, every camera that runs.", transform: { try DeviceID($0) })
    var devices: [DeviceID] = []
    @Option(
        help: ArgumentHelp("preview, full, half, quarter or eighth.", valueName: "kind"), transform: FrameOptions.kind)
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

    /// Subscribes to every stream meant, and counts what comes.
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

/// One stream and what was counted of it.
struct MeasuredStream: Sendable {
    var topic: FrameTopic
    var tally = FrameTally()

    /// Counts for `period` from the first frame on; a stream without any ends after it, too.
    init(
        of device: DeviceID, _ kind: FrameKind, _ period: Duration, _ clock: RigClockReading, _ client: RigClient
    ) async throws {
        topic = FrameTopic(device: device, kind: kind)
        let frames = try await client.frames(of: device, kind: kind)
        let time = SystemTimeSource()
        var end = time.now() + period
        while time.now() < end, let frame = try await frames.next(within: end - time.now()) {
            if tally.count == 0 { end = time.now() + period }
            tally.note(frame, latency: Self.latency(frame, clock))
        }
        await frames.close()
    }

    /// Both ends on the rig's time line; nil where either is not known there.
    private static func latency(_ frame: ReceivedFrame, _ clock: RigClockReading) -> (Duration, Duration)? {
        guard let dequeued = frame.header.rigDequeued, frame.header.rig?.clock == clock.clock else { return nil }
        let received = clock.rigTime(at: frame.received)
        return (received.time - dequeued.time, received.bound + dequeued.bound)
    }
}
