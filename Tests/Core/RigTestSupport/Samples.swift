package import CaptureModel
import CaptureTestSupport
import OpenSSL

/// Made-up parts of a rig.
package enum Samples {
    package static func shot(_ number: Int64 = 1) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(number))
        return ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
    }

    package static func settings(_ number: Int64 = 1) -> SettingsID {
        var generator = SeededGenerator(seed: UInt64(number))
        return SettingsID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
    }

    /// Settings of which the pictures have had the old values until frame 10 and have the new ones from frame 12 on.
    package static let settingsEffect = SettingsEffect(
        accepted: BoundedRigTime(time: RigTime(nanoseconds: 1_000), bound: .nanoseconds(50)), controls: ["gain": 7],
        change: SettingsChangeover(
            evidence: .metadata,
            lastOld: FrameMark(
                sequence: 10, midExposure: BoundedRigTime(time: RigTime(nanoseconds: 900), bound: .nanoseconds(60))),
            firstNew: FrameMark(
                sequence: 12, midExposure: BoundedRigTime(time: RigTime(nanoseconds: 1_100), bound: .nanoseconds(60)))))

    package static func epoch(_ number: UInt64) -> Epoch {
        var generator = SeededGenerator(seed: number)
        return Epoch.random(using: &generator)
    }

    package static let format = VideoFormat(
        pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(40))

    package static let resolved = ResolvedPhotoSettings(
        width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)

    package static func status(_ id: String, state: DeviceCondition.State = .running) throws -> DeviceStatus {
        DeviceStatus(
            device: DeviceDescription(id: try DeviceID(id), driver: "virtual"),
            condition: DeviceCondition(state: state, format: state == .running ? format : nil))
    }

    /// A report of one file, whose frame was exposed at rig time 0.
    package static func report(_ device: String, _ shot: Int64 = 1) throws -> CaptureReport {
        CaptureReport(
            key: try fileKey(shot, device).capture, resolved: resolved,
            timing: FrameTiming(
                sequence: 1, localMidExposure: LocalTime(nanoseconds: 1),
                midExposure: BoundedRigTime(time: RigTime(nanoseconds: 0), bound: .microseconds(100)),
                skewNanoseconds: 0, dequeued: RigTime(nanoseconds: 1)), files: [file([1])])
    }

    package static func file(_ bytes: [UInt8]) -> SpooledFile {
        SpooledFile(kind: .photo, byteCount: Int64(bytes.count), digest: digest(bytes))
    }

    package static func digest(_ bytes: [UInt8]) -> ContentDigest {
        guard let digest = ContentDigest(bytes: SHA256.hash(bytes)) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }

    package static func fileKey(_ shot: Int64 = 1, _ device: String = "north/cam") throws -> FileKey {
        FileKey(capture: CaptureKey(shot: Self.shot(shot), device: try DeviceID(device)), kind: .photo)
    }
}
