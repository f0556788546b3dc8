public import CaptureModel
import OpenSSL
public import StorageKit

/// Made-up shots and files for tests of stores.
public enum Samples {
    /// 2026-11-21T10:11:01Z.
    public static let requestMilliseconds: Int64 = 1_795_255_861_000

    public static func shotID(_ number: Int64 = 1) -> ShotID {
        var generator = SplitMix64(seed: UInt64(bitPattern: number))
        return ShotID(unixMilliseconds: requestMilliseconds + number, using: &generator)
    }

    /// An open shot of two cameras, on 2026-11-21 or some days later.
    public static func shot(_ number: Int64 = 1, daysLater: Int64 = 0) throws -> Shot {
        let realtime = (requestMilliseconds + daysLater * 86_400_000) * 1_000_000
        let cameras = ["south/cam1", "north/cam1"]
        return Shot(
            id: shotID(number), time: RigTime(nanoseconds: 1_000_000_250), rigClock: RigClockID(rawValue: "boot.1"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 1_000_000_000), realtimeNanoseconds: realtime),
            coordinatorEpoch: Epoch(rawValue: .max) ?? .random(), request: ShotRequest(selection: Selection()),
            captures: try cameras.map { Capture(device: DeviceDescription(id: try DeviceID($0), driver: "virtual")) })
    }

    public static func photo(_ number: Int64 = 1, device: String = "north/cam1") throws -> FileKey {
        FileKey(capture: CaptureKey(shot: shotID(number), device: try DeviceID(device)), kind: .photo)
    }

    /// Bytes that differ from file to file.
    public static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        // One block is computed and repeated: unoptimized, each byte takes long.
        let block = (0..<min(count, 65_521)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed }
        var bytes = block
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }

    public static func digest(_ bytes: [UInt8]) throws -> ContentDigest {
        guard let digest = ContentDigest(bytes: SHA256.hash(bytes)) else { throw NoDigest() }
        return digest
    }

    public static func content(_ bytes: [UInt8]) throws -> AssetContent {
        AssetContent(byteCount: Int64(bytes.count), digest: try digest(bytes))
    }

    private struct NoDigest: Error {}
}

extension Shot {
    /// The shot with this camera's photo marked as stored.
    public func storing(_ bytes: [UInt8], of device: String = "north/cam1") throws -> Shot {
        var shot = self
        guard let index = shot.captures.firstIndex(where: { $0.device.id.description == device }) else { return shot }
        shot.captures[index].phase = .done
        shot.captures[index].files[0].outcome = .done
        shot.captures[index].files[0].byteCount = Int64(bytes.count)
        shot.captures[index].files[0].digest = try Samples.digest(bytes)
        shot.revision += 1
        return shot
    }

    /// The next revision.
    public func revised(_ status: Status = .open) -> Shot {
        var shot = self
        (shot.revision, shot.status) = (revision + 1, status)
        return shot
    }
}

extension ShotStore {
    /// Stores a shot, whatever is stored of it: under its own revision where that is higher, else under the next one.
    public func store(_ shot: Shot) async throws {
        do throws(StorageError) {
            try await create(shot)
        } catch {
            guard error.code == .conflict, let found = try await self.shot(shot.id) else { throw error }
            var next = shot
            next.revision = max(shot.revision, found.revision + 1)
            try await replace(found.revision, with: next)
        }
    }
}

extension AssetStore {
    /// Stores a whole file in pieces.
    @discardableResult
    public func collect(_ key: FileKey, _ bytes: [UInt8], piece: Int = 1000) async throws -> AssetLocation {
        try await send(key, bytes, piece: piece)
        return try await commit(key)
    }

    /// Does all but committing it.
    public func send(_ key: FileKey, _ bytes: [UInt8], piece: Int = 1000) async throws {
        guard case .resume(var offset) = try await begin(key, Samples.content(bytes)) else { return }
        while offset < bytes.count {
            let end = min(Int(offset) + piece, bytes.count)
            try await append(Array(bytes[Int(offset)..<end]), to: key, at: offset)
            offset = Int64(end)
        }
    }
}
