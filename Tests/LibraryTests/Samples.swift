import CaptureModel
import CaptureTestSupport
import Crypto
import Library
import PosixSupport

/// Made-up shots for tests.
enum Samples {
    /// 2026-11-21T10:11:01Z.
    static let requestMilliseconds: Int64 = 1_795_255_861_000

    static func shotID(_ number: Int64 = 1) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(bitPattern: number))
        return ShotID(unixMilliseconds: requestMilliseconds + number, using: &generator)
    }

    /// An open shot of two cameras, on 2026-11-21 or some days later.
    static func shot(_ number: Int64 = 1, daysLater: Int64 = 0) throws -> Shot {
        let realtime = (requestMilliseconds + daysLater * 86_400_000) * 1_000_000
        let cameras = ["south/cam1", "north/cam1"]
        return Shot(
            id: shotID(number), time: RigTime(nanoseconds: 1_000_000_250), rigClock: RigClockID(rawValue: "boot.1"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 1_000_000_000), realtimeNanoseconds: realtime),
            coordinatorEpoch: Epoch(rawValue: .max) ?? .random(), request: ShotRequest(selection: Selection()),
            captures: try cameras.map { Capture(device: DeviceDescription(id: try DeviceID($0), driver: "virtual")) })
    }

    static func photo(_ number: Int64 = 1, device: String = "north/cam1") throws -> FileKey {
        FileKey(capture: CaptureKey(shot: shotID(number), device: try DeviceID(device)), kind: .photo)
    }

    /// Bytes that differ from file to file.
    static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed }
    }

    static func digest(_ bytes: [UInt8]) throws -> ContentDigest {
        struct NoDigest: Error {}
        guard let digest = ContentDigest(bytes: Array(SHA256.hash(data: bytes))) else { throw NoDigest() }
        return digest
    }

    static func library(_ folder: TemporaryFolder, disk: FaultyDisk? = nil) throws -> Library {
        try Library(folder: folder.path, executor: try FileExecutor(name: "library"), fault: disk?.fault)
    }

    /// Where the shot of this number lies when it is not later than the first day.
    static func folder(_ number: Int64 = 1) -> String { "2026/11/21/\(shotID(number))" }
}

extension Library {
    /// Receives a whole file in chunks of 1000 bytes and puts it in place.
    @discardableResult
    func collect(_ key: FileKey, _ bytes: [UInt8]) async throws -> String {
        var offset = try await beginReceiving(key, byteCount: Int64(bytes.count), digest: try Samples.digest(bytes))
        while offset < bytes.count {
            let end = min(Int(offset) + 1000, bytes.count)
            offset = try receive(key, offset: offset, bytes: Array(bytes[Int(offset)..<end]))
        }
        return try finish(key)
    }
}

extension Shot {
    /// The shot with this camera's photo marked as stored.
    func storing(_ bytes: [UInt8], of device: String = "north/cam1") throws -> Shot {
        var shot = self
        guard let index = shot.captures.firstIndex(where: { $0.device.id.description == device }) else { return shot }
        shot.captures[index].phase = .done
        shot.captures[index].files[0].outcome = .done
        shot.captures[index].files[0].byteCount = Int64(bytes.count)
        shot.captures[index].files[0].digest = try Samples.digest(bytes)
        shot.revision += 1
        return shot
    }
}
