public import PosixSupport

/// How full a spool is, whether it can be used, and what its last start found.
public struct SpoolUsage: Hashable, Sendable {
    /// The limit of files and reservations, in bytes.
    public var limitBytes: Int64
    /// The bytes in files of captures.
    public var storedBytes: Int64
    /// The bytes reserved for armed cameras.
    public var reservedBytes: Int64
    /// The bytes of the disk that stay free for others.
    public var keptFreeBytes: Int64
    /// The room on the disk; nil if this could not be determined.
    public var disk: FileSystemRoom?
    /// The files that the armed cameras and one more capture may need.
    public var neededFiles: Int64
    /// Why the spool cannot be used, as a sentence; nil if it can.
    public var problem: String?
    /// How often each folder of the spool that somebody had removed was made again, by its path.
    public var losses: [String: Int] = [:]
    public var captureCount: Int
    public var fileCount: Int
    /// Captures moved to `damaged/` at the start.
    public var damagedCount: Int
    /// Remains of unfinished work removed at the start.
    public var removedLeftovers: Int
    /// Files left alone because they are not this program's or a newer version's.
    public var foreignCount: Int
}

extension SpoolUsage {
    /// Why the spool can accept no capture, however small, as a sentence; nil if it can.
    public var obstacle: String? {
        problem ?? disk?.obstacle(toCreating: neededFiles).map { "the spool's disk \($0)" }
    }

    /// The bytes that the spool can still accept: the rest of its limit, and at most what the disk has free in addition to what is reserved
    /// and what stays free for others.
    public var availableBytes: Int64 {
        guard obstacle == nil else { return 0 }
        let onDisk = disk.map { $0.freeBytes - keptFreeBytes - reservedBytes } ?? .max
        return max(0, min(limitBytes - storedBytes - reservedBytes, onDisk))
    }

    /// Returns why there is no room for `byteCount` more, as a sentence; nil if there is room.
    public func shortage(of byteCount: Int64) -> String? {
        if let obstacle { return obstacle }
        guard availableBytes < byteCount else { return nil }
        if limitBytes - storedBytes - reservedBytes < byteCount {
            return "the spool is nearly full: a photo needs \(byteCount) bytes, \(availableBytes) are left of its limit"
                + " of \(limitBytes); let the coordinator collect, or raise spool.limit"
        }
        return
            "the spool's disk is nearly full: a photo needs \(byteCount) bytes, \(availableBytes) are left in addition to the"
            + " \(keptFreeBytes) of spool.reserve; free space on it"
    }
}
