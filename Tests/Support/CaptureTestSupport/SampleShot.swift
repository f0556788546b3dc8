public import CaptureModel

/// A partial shot of three cameras: two whole, one missed.
public struct SampleShot {
    public var shot: Shot

    private struct Malformed: Error {}

    public init() throws {
        guard let id = ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"), let epoch = Epoch(rawValue: 7) else {
            throw Malformed()
        }
        var missed = Capture(device: DeviceDescription(id: try DeviceID("n3/cam1"), driver: "virtual"))
        missed.phase = .missed
        missed.problem = RigProblem(.nodeUnreachable, "n3 is not connected; start its agent")
        missed.files[0].outcome = .missed
        shot = Shot(
            id: id, time: RigTime(nanoseconds: 1_000_000_000), rigClock: RigClockID(rawValue: "clock"),
            wallClock: WallClockPair(
                monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: 1_795_256_143_250_000_000),
            coordinatorEpoch: epoch, request: ShotRequest(selection: Selection()),
            captures: [
                try Self.done("n1/cam1", skew: 1_200_000, bound: .microseconds(100), dequeued: 40, stored: 200),
                try Self.done("n2/cam1", skew: -800_000, bound: .microseconds(300), dequeued: 50, stored: 150), missed,
            ])
        shot.status = .partial
    }

    /// - Parameters:
    ///   - dequeued: Milliseconds after T.
    ///   - stored: Milliseconds after T.
    private static func done(
        _ id: String, skew: Int64, bound: Duration, dequeued: Int64, stored: Int64
    ) throws -> Capture {
        let device = try DeviceID(id)
        var capture = Capture(device: DeviceDescription(id: device, driver: "virtual"))
        let time = RigTime(nanoseconds: 1_000_000_000)
        capture.phase = .done
        capture.timing = FrameTiming(
            sequence: 1, localMidExposure: LocalTime(nanoseconds: 5),
            midExposure: BoundedRigTime(time: time + .nanoseconds(skew), bound: bound), skewNanoseconds: skew,
            dequeued: time + .milliseconds(dequeued))
        capture.files[0].outcome = .done
        capture.files[0].path = "\(device.folderName)/photo.jpg"
        capture.files[0].storedAt = time + .milliseconds(stored)
        return capture
    }
}
