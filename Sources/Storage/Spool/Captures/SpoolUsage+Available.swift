extension SpoolUsage {
    /// Bytes the spool may still take: what its limit leaves, and no more than the disk has beside what is reserved and
    /// what stays free for others.
    public var availableBytes: Int64 {
        let onDisk = freeBytes.map { $0 - keptFreeBytes - reservedBytes } ?? .max
        return max(0, min(limitBytes - storedBytes - reservedBytes, onDisk))
    }

    /// Why there is no room for `byteCount` more: a sentence without its subject; nil where there is room.
    public func shortage(of byteCount: Int64) -> String? {
        guard availableBytes < byteCount else { return nil }
        if limitBytes - storedBytes - reservedBytes < byteCount {
            return "the spool is nearly full: a photo needs \(byteCount) bytes, \(availableBytes) are left of its limit"
                + " of \(limitBytes); let the coordinator collect, or raise spool.limit"
        }
        return
            "the spool's disk is nearly full: a photo needs \(byteCount) bytes, \(availableBytes) are left beside the"
            + " \(keptFreeBytes) of spool.reserve; free space on it"
    }
}
