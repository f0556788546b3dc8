/// How full a spool is, and what its last start found.
public struct SpoolUsage: Hashable, Codable, Sendable {
    /// Bytes the spool may hold in files and reservations.
    public var limitBytes: Int64
    /// Bytes in files of captures.
    public var storedBytes: Int64
    /// Bytes set aside for armed cameras.
    public var reservedBytes: Int64
    /// Bytes of the disk that stay free for others.
    public var keptFreeBytes: Int64
    /// Bytes free on the disk; nil where it could not be asked.
    public var freeBytes: Int64?
    public var captureCount: Int
    public var fileCount: Int
    /// Captures moved to `damaged/` at the start.
    public var damagedCount: Int
    /// Leftovers of unfinished work removed at the start.
    public var removedLeftovers: Int
    /// Files left alone because they are not this program's or a newer version's.
    public var foreignCount: Int
}
