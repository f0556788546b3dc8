import CaptureModel

@testable import RigCore

/// The coordinator's bookkeeping of chunks, against a node that answers what it likes.
enum CollectQueueFuzz {
    static func run(_ bytes: [UInt8]) throws {
        var (input, queue) = (FuzzInput(bytes), CollectQueue())
        let key = try fileKey()
        let size = Int64(input.number(UInt32.self) >> 8)
        guard let digest = ContentDigest(bytes: [UInt8](repeating: 7, count: 32)) else { return }
        let file = SpooledFile(kind: .photo, byteCount: size, digest: digest)
        let start = min(Int64(input.number(UInt16.self)), size)
        queue.add(key, file, from: start)
        var (now, received) = (LocalTime(nanoseconds: 0), start)
        for _ in 0..<100 where !input.isEmpty {
            now = now + .milliseconds(Int64(input.number(UInt8.self)) * 20)
            switch input.number(UInt8.self) % 4 {
            case 0:
                guard let chunk = queue.next(at: now) else { continue }
                try FuzzFinding.unless(
                    chunk.offset >= received && chunk.count > 0 && chunk.offset + chunk.count <= size,
                    "a chunk is asked for outside of its file: \(chunk)")
            case 1: _ = queue.restartIfOverdue(at: now)
            case 2: queue.restart()
            default: try receive(&input, key, &queue, now, &received)
            }
            let isWhole = queue.isWhole(key)
            try FuzzFinding.unless(isWhole == (received == size), "a file of \(size) bytes is whole with \(received)")
        }
    }

    private static func receive(
        _ input: inout FuzzInput, _ key: FileKey, _ queue: inout CollectQueue, _ now: LocalTime, _ received: inout Int64
    ) throws {
        let isPlausible = input.number(UInt8.self) % 2 == 0
        let offset = isPlausible ? received : input.number()
        let count = isPlausible ? Int64(input.number(UInt32.self) % 300_000) : input.number()
        switch queue.received(CollectChunk(key: key, offset: offset, count: count), at: now) {
        case .taken:
            try FuzzFinding.unless(offset == received && count > 0, "bytes are taken that do not follow")
            received += count
            queue.written(key)
        case .short, .unexpected: break
        }
    }

    private static func fileKey() throws -> FileKey {
        var generator = SystemRandomNumberGenerator()
        let shot = ShotID(unixMilliseconds: 1, using: &generator)
        return FileKey(capture: CaptureKey(shot: shot, device: try DeviceID("north/cam1")), kind: .photo)
    }
}
