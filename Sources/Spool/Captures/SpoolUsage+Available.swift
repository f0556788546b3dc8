extension SpoolUsage {
    /// Bytes the spool may still take: what its limit leaves, and no more than the disk has.
    public var availableBytes: Int64 {
        max(0, min(limitBytes - storedBytes - reservedBytes, freeBytes ?? .max))
    }
}
