import CaptureModel
import CaptureTestSupport
import Crypto
import PosixSupport

@testable import CoordinatorRuntime

/// Made-up parts of a rig.
enum Samples {
    static func shot(_ number: Int64 = 1) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(number))
        return ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
    }

    static func epoch(_ number: UInt64) -> Epoch {
        var generator = SeededGenerator(seed: number)
        return Epoch.random(using: &generator)
    }

    static let format = VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(40))

    static let resolved = ResolvedPhotoSettings(
        width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)

    static func device(_ id: String, state: DeviceCondition.State = .running) throws -> RosterDevice {
        RosterDevice(
            description: DeviceDescription(id: try DeviceID(id), driver: "virtual"),
            condition: DeviceCondition(state: state, format: state == .running ? format : nil))
    }

    static func agent(_ epoch: UInt64 = 1, boot: String = "boot-1", ringDepth: Duration = .seconds(3)) -> ConnectedAgent
    {
        ConnectedAgent(
            epoch: Self.epoch(epoch), bootID: boot, software: "test", ringDepth: ringDepth,
            clockBound: .microseconds(100), spoolUsedBytes: 0, spoolFreeBytes: 1 << 30)
    }

    static func file(_ bytes: [UInt8]) -> SpooledFile {
        SpooledFile(kind: .photo, byteCount: Int64(bytes.count), digest: digest(bytes))
    }

    static func digest(_ bytes: [UInt8]) -> ContentDigest {
        guard let digest = ContentDigest(bytes: Array(SHA256.hash(data: bytes))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }

    static func fileKey(_ shot: Int64 = 1, _ device: String = "north/cam") throws -> FileKey {
        FileKey(capture: CaptureKey(shot: Self.shot(shot), device: try DeviceID(device)), kind: .photo)
    }
}
