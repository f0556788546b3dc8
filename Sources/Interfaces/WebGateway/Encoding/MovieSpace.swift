internal import PosixSupport

/// The folder in which a gateway keeps movies while it encodes and sends them, and how much of it is in use.
///
/// The files have no names, so they are gone with whatever uses them, also if the gateway is killed. Several gateways may use one folder; each
/// counts what it uses itself.
final class MovieSpace: Sendable {
    /// What must stay free on the disk.
    static let reserve: Int64 = 512 << 20

    /// Why a movie has no room.
    enum Shortage: Error, Hashable {
        /// It is larger than the whole space.
        case tooLarge(needed: Int64, limit: Int64)
        /// Answers that are being read take the room.
        case inUse
        /// The disk lacks it.
        case disk(path: String, needed: Int64, free: Int64)
    }

    /// The most bytes in use.
    let limit: Int64
    private let path: String
    private let used = Locked<Int64>(0)

    /// - Parameter path: The folder, which is made when it is first needed.
    init(path: String, limit: Int64) {
        (self.path, self.limit) = (path, limit)
    }

    /// Opens the folder. Blocks on the disk.
    func folder() throws(PosixError) -> Folder { try Folder.make(path, permissions: 0o700) }

    /// Whether the space has room for so much at all.
    /// - Throws: ``Shortage/tooLarge(needed:limit:)``.
    func check(_ byteCount: Int64) throws(Shortage) {
        guard byteCount <= limit else { throw .tooLarge(needed: byteCount, limit: limit) }
    }

    /// Takes room, until the result is released.
    /// - Parameter free: What the disk has free.
    func take(_ byteCount: Int64, free: Int64) throws(Shortage) -> Room {
        try check(byteCount)
        guard free - Self.reserve >= byteCount else {
            throw .disk(path: path, needed: byteCount + Self.reserve, free: free)
        }
        return try used.withLock { used throws(Shortage) in
            guard used <= limit - byteCount else { throw .inUse }
            used += byteCount
            return Room(self, byteCount)
        }
    }

    /// Room that somebody has taken.
    final class Room: Sendable {
        private let space: MovieSpace
        private let byteCount: Locked<Int64>

        fileprivate init(_ space: MovieSpace, _ byteCount: Int64) {
            (self.space, self.byteCount) = (space, Locked(byteCount))
        }

        /// Gives back what is not needed.
        func shrink(to needed: Int64) {
            let rest = byteCount.withLock { byteCount in
                defer { byteCount = min(byteCount, needed) }
                return max(0, byteCount - needed)
            }
            space.used.withLock { $0 -= rest }
        }

        deinit { shrink(to: 0) }
    }
}
