import CaptureModel
import CaptureTestSupport
import Crypto
import Foundation
import PosixSupport
import Spool

/// Made-up captures for tests.
enum Samples {
    static func shot(_ number: Int64 = 1) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(bitPattern: number))
        return ShotID(unixMilliseconds: 1_795_255_861_000 + number, using: &generator)
    }

    static func key(_ number: Int64 = 1, device: String = "north/cam1") throws -> CaptureKey {
        CaptureKey(shot: shot(number), device: try DeviceID(device))
    }

    static func photo(_ number: Int64 = 1) throws -> FileKey {
        FileKey(capture: try key(number), kind: .photo)
    }

    static let resolved = ResolvedPhotoSettings(
        width: 640, height: 360,
        streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(33)),
        isCameraEncoded: true, orientation: .degrees0)

    static let timing = FrameTiming(
        sequence: .max, localMidExposure: LocalTime(nanoseconds: 9_007_199_254_740_993),
        midExposure: BoundedRigTime(time: RigTime(nanoseconds: 9_007_199_254_740_995), bound: .microseconds(120)),
        skewNanoseconds: -1_234_567, exposureNanoseconds: 10_000_000, dequeued: RigTime(nanoseconds: .max))

    /// Bytes that differ from file to file.
    static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed }
    }

    static func digest(_ bytes: [UInt8]) -> ContentDigest? {
        ContentDigest(bytes: Array(SHA256.hash(data: bytes)))
    }

    static func spool(
        _ folder: TemporaryFolder, limitBytes: Int64 = 1 << 20, reserveFreeBytes: Int64 = 0, disk: FaultyDisk? = nil
    ) throws -> Spool {
        try Spool(
            folder: folder.path, limitBytes: limitBytes, reserveFreeBytes: reserveFreeBytes,
            executor: try ThreadExecutor(name: "spool"), fault: disk?.fault)
    }
}

extension Samples {
    /// What a process that starts on the folder would find, read while `spool` still holds the lock.
    static func spoolInventory(_ folder: TemporaryFolder, after spool: Spool) async throws -> [CaptureKey] {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path + "/captures", toPath: copy.path + "/captures")
        return try await Samples.spool(copy).inventory().map(\.key)
    }
}

extension Spool {
    /// Stores a photo in two pieces.
    @discardableResult
    func store(
        _ key: CaptureKey, _ bytes: [UInt8], reservation: SpoolReservation? = nil
    ) throws(CaptureProblem) -> CaptureReport {
        let half = bytes.count / 2
        return try store(
            key, resolved: Samples.resolved, timing: Samples.timing,
            files: [(.photo, [Array(bytes[..<half]), Array(bytes[half...])])], reservation: reservation)
    }
}
