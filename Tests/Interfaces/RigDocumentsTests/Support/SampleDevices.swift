import CaptureModel

/// Devices whose documents have every member.
enum SampleDevices {
    /// A camera whose numbers differ, and several of which need more than 53 bits.
    static func camera() throws -> DeviceStatus {
        DeviceStatus(
            device: DeviceDescription(
                id: try DeviceID("n1/cam1"), labels: ["top"], purpose: "Front", orientation: .degrees90, mirrored: true,
                driver: "v4l2", make: "Make", model: "Model", serial: "7A"),
            condition: DeviceCondition(
                state: .running, reason: "none",
                format: VideoFormat(
                    pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_333_333)),
                counters: counters,
                phase: FramePhase(
                    midExposure: RigTime(nanoseconds: .max), periodNanoseconds: 33_333_334,
                    bound: Duration.nanoseconds(9_007_199_254_740_993), periodBound: .nanoseconds(77)),
                session: try session()))
    }

    static var counters: FrameCounters {
        var counters = FrameCounters()
        (counters.delivered, counters.droppedByDevice, counters.droppedByNode) = (.max, 1, 2)
        (counters.flaggedErroneous, counters.stalls, counters.torn) = (3, 4, 5)
        (counters.trimmed, counters.damaged) = (6, 7)
        return counters
    }

    static func session() throws -> SessionCondition {
        SessionCondition(
            phase: .running, interruption: .largerPhoto, authorization: .authorized, attempt: 2, failedStep: "open",
            demands: [.standby], readiness: .ready,
            abilities: SessionAbilities(
                photo: .refused("a"), live: .refused("b"), record: .refused("c"), switchInput: .refused("d"),
                largerPhoto: .refused("e"), raw: .refused("f"), flash: .refused("g")),
            cost: SessionCost(
                streamBytesPerSecond: 30_000_000, ringBytes: 10, ringLimitBytes: 20, encodePermille: 300,
                bus: SessionCost.USBBus(number: 1, limitBytesPerSecond: 24_000_000)),
            largerPhoto: LargerPhoto(dimensions: PixelSize(width: 2560, height: 1440), leadNanoseconds: 4_000_000_000),
            livePhotosInProgress: 1,
            recording: RecordingProgress(
                take: try SampleIDs.shot(), frameCount: 75, byteCount: 9_007_199_254_740_993,
                durationNanoseconds: 3_000_000_000, segmentNumber: 2),
            alignment: CameraAlignment(
                state: .unmovable, reason: "h", lateness: .nanoseconds(-9_007_199_254_740_993),
                bound: .microseconds(73), corrections: 8, restarts: 9))
    }

    static func details() throws -> DeviceDetails {
        let camera = try camera()
        let size = SizeOffer(
            widths: PixelRange(16, 1920, step: 8), heights: PixelRange(16, 1080, step: 2),
            intervals: [IntervalOffer(shortestNanoseconds: 33_333_333, longestNanoseconds: 1_000_000_000)])
        let controls = [
            DeviceControl(
                name: "exposure", kind: .integer, minimum: .min, maximum: .max, step: 2, defaultValue: 156,
                unit: "100 µs", value: 9_007_199_254_740_993),
            DeviceControl(name: "mode", kind: .menu, maximum: 1, menu: [.init(index: 1, name: "Manual")], value: 1),
        ]
        return DeviceDetails(
            device: camera.device, condition: camera.condition, authorization: .denied, remedy: "join a group",
            identity: "serial 7A",
            capabilities: DeviceCapabilities(
                formats: [FormatOffer(pixelFormat: .rgb24, convertedFrom: "BGR3", sizes: [size])], controls: controls),
            obstacle: RigProblem(.notRunning, "it is off"))
    }
}

enum SampleIDs {
    struct Malformed: Error {}

    static func shot() throws -> ShotID {
        guard let id = ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50") else { throw Malformed() }
        return id
    }

    static func epoch() throws -> Epoch {
        guard let epoch = Epoch(rawValue: 0x0123_4567_89ab_cdef) else { throw Malformed() }
        return epoch
    }
}
