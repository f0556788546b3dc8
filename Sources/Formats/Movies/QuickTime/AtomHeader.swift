/// The first 8 or 16 bytes of an atom (QuickTime File Format, "Atoms").
struct AtomHeader {
    /// Bytes that are to be read for a header, where there are as many.
    static let maximumByteCount = 16

    /// The atom that begins at `start` and must end at `limit` or before.
    ///
    /// - Parameters:
    ///   - bytes: From `start` on, at least 16 or all up to `limit`.
    ///   - mayReachEnd: Whether a size of 0 stands for "up to the end", as it may at the top of a file.
    /// - Returns: nil where header and limit contradict each other.
    static func atom(_ bytes: some RandomAccessCollection<UInt8>, at start: Int64, limit: Int64, mayReachEnd: Bool)
        -> Atom?
    {
        guard bytes.count >= 8, limit - start >= 8 else { return nil }
        let type = AtomType(code: UInt32(truncatingIfNeeded: BigEndian.number(bytes.dropFirst(4).prefix(4))))
        let size = BigEndian.number(bytes.prefix(4))
        switch size {
        case 0:
            return mayReachEnd ? Atom(type: type, start: start, content: start + 8, end: limit, isOpenEnded: true) : nil
        case 1:
            guard bytes.count >= 16 else { return nil }
            return atom(type, start, header: 16, size: BigEndian.number(bytes.dropFirst(8).prefix(8)), limit)
        default: return atom(type, start, header: 8, size: size, limit)
        }
    }

    private static func atom(_ type: AtomType, _ start: Int64, header: Int64, size: UInt64, _ limit: Int64) -> Atom? {
        guard size >= header, size <= UInt64(limit - start) else { return nil }
        return Atom(type: type, start: start, content: start + header, end: start + Int64(size))
    }
}
