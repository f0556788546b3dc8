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
    /// With a clip of three seconds.
    static var live: ResolvedPhotoSettings {
        var live = resolved
        live.livePhoto = LivePhotoMovie(dimensions: PixelSize(width: 640, height: 480))
        return live
    }
    /// Arms until 2 s, resolves until 5 s; changes do not wait for one another.
    static let schedule = ShotSchedule(
        armDeadline: at(2), resolutionDeadline: at(5), repeatInterval: .milliseconds(500), writeDelay: .zero)

    static func at(_ seconds: Double) -> RigTime {
        RigTime(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    static func shot(
        _ devices: [String], requireAll: Bool = false, livePhoto: LivePhotoRequest? = nil,
        motionPhoto: Bool? = nil
    ) throws -> Shot {
        var generator = SeededGenerator(seed: 7)
        let settings = PhotoSettings(livePhoto: livePhoto, motionPhoto: motionPhoto)
        let captures = try devices.map {
            Capture(device: DeviceDescription(id: try DeviceID($0), driver: "virtual"), kinds: settings.assetKinds)
        }
        return Shot(
            id: ShotID(unixMilliseconds: 1_700_000_000_000, using: &generator), time: time, rigClock: clock,
            wallClock: .init(monotonic: at(0), realtimeNanoseconds: 1_700_000_000_000_000_000),
            coordinatorEpoch: .random(using: &generator),
            request: ShotRequest(selection: Selection(), settings: settings, requireAll: requireAll), captures: captures
        )
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

    /// A report of a Live Photo: its photo alone, the clip owed; with `clip`, the clip too.
    static func liveReport(
        _ shot: Shot, _ device: String, digest byte: UInt8 = 1, clip: UInt8? = nil, problem: RigProblem? = nil
    ) throws -> CaptureReport {
        var report = try report(shot, device, digest: byte)
        report.resolved = live
        if let clip {
            report.files.append(SpooledFile(kind: .pairedVideo, byteCount: 5000, digest: try digest(clip)))
            report.clip = ClipTiming(
                localStart: LocalTime(nanoseconds: 5), start: BoundedRigTime(time: time, bound: .zero),
                frameOffsets: [0, 33_333_333], stillFrame: 1, durationNanoseconds: 66_666_666, missingFrames: 0)
        } else if let problem {
            report.failed = [FailedFile(kind: .pairedVideo, problem: problem)]
        } else {
            report.owed = [.pairedVideo]
        }
        return report
    }
}
