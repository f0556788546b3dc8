import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

/// Values for transcripts: a shot of cameras named `node/device`, at T = 1 s, taken on at 0.
enum Sample {
    static let time = RigTime(nanoseconds: 1_000_000_000)
    static let clock = RigClockID(rawValue: "boot-a")
    static let resolved = ResolvedPhotoSettings(
        width: 640, height: 480,
        streamFormat: VideoFormat(
            pixelFormat: .mjpeg, width: 640, height: 480, frameInterval: .nanoseconds(33_333_333)),
        isCameraEncoded: true, orientation: .degrees0)
    /// Arms until 2 s, resolves until 5 s; changes do not wait for one another.
    static let schedule = ShotSchedule(
        armDeadline: at(2), resolutionDeadline: at(5), repeatInterval: .milliseconds(500), writeDelay: .zero)

    static func at(_ seconds: Double) -> RigTime {
        RigTime(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    static func shot(_ devices: [String], requireAll: Bool = false) throws -> Shot {
        var generator = SeededGenerator(seed: 7)
        let captures = try devices.map { Capture(device: DeviceDescription(id: try DeviceID($0), driver: "virtual")) }
        return Shot(
            id: ShotID(unixMilliseconds: 1_700_000_000_000, using: &generator), time: time, rigClock: clock,
            wallClock: .init(monotonic: at(0), realtimeNanoseconds: 1_700_000_000_000_000_000),
            coordinatorEpoch: .random(using: &generator),
            request: ShotRequest(selection: Selection(), requireAll: requireAll), captures: captures)
    }

    static func digest(_ byte: UInt8) throws -> ContentDigest {
        try #require(ContentDigest(bytes: [UInt8](repeating: byte, count: 32)))
    }

    static func report(_ shot: Shot, _ device: String, digest byte: UInt8 = 1) throws -> CaptureReport {
        try report(shot.id, DeviceID(device), digest: digest(byte))
    }

    static func report(_ shot: ShotID, _ device: DeviceID, digest: ContentDigest) -> CaptureReport {
        CaptureReport(
            key: CaptureKey(shot: shot, device: device), resolved: resolved,
            timing: FrameTiming(
                sequence: 30, localMidExposure: LocalTime(nanoseconds: 5),
                midExposure: BoundedRigTime(time: time, bound: .microseconds(100)), skewNanoseconds: 0, dequeued: time),
            files: [SpooledFile(kind: .photo, byteCount: 1000, digest: digest)])
    }
}
