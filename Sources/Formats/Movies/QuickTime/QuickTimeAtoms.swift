internal import PosixSupport

/// Finds atoms in bytes that somebody else may have made. No size of theirs leads outside of the file or of the atom around
/// them, and their number is bounded.
enum QuickTimeAtoms {
    /// Atoms at the top of a file, or in another, more than which no program here writes.
    static let maximumCount = 200_000
    /// Bytes of a movie's index, above which a file is refused instead of read: weeks of frames.
    static let maximumIndexSize = 256 << 20

    /// The atoms at the top of a file, in order.
    /// - Throws: ``MovieError`` of code `malformed` where they do not fill the file.
    static func atoms(of file: OpenFile) throws(MovieError) -> [Atom] {
        let size = try file.movieByteCount()
        var atoms: [Atom] = []
        var offset: Int64 = 0
        while offset < size {
            let header = try file.movieBytes(at: offset, count: AtomHeader.maximumByteCount)
            guard atoms.count < maximumCount,
                let atom = AtomHeader.atom(header, at: offset, limit: size, mayReachEnd: true)
            else { throw MovieError(.malformed, "read", file.path, "there is no atom at byte \(offset)") }
            atoms.append(atom)
            offset = atom.end
        }
        return atoms
    }

    /// Bytes that nothing in front of a recording's first frame has: its index lists none.
    private static let headerLimit: Int64 = 1 << 20

    /// Whether a file begins as a recording does, and ends before its index: it has no frame.
    static func isCutOffBeforeIndex(_ file: OpenFile) throws(MovieError) -> Bool {
        let size = try file.movieByteCount()
        var offset: Int64 = 0
        while size - offset >= 8 {
            let header = try file.movieBytes(at: offset, count: AtomHeader.maximumByteCount)
            guard let atom = AtomHeader.atom(header, at: offset, limit: .max, mayReachEnd: false),
                atom.type == "ftyp" || atom.type == "moov", atom.end <= headerLimit
            else { return false }
            if atom.type == "moov" || atom.end > size { return atom.end > size }
            offset = atom.end
        }
        return true
    }

    /// The atoms in a part of the bytes; nil where they do not fill it.
    static func children(of bytes: [UInt8], in range: Range<Int>) -> [Atom]? {
        var atoms: [Atom] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let header = bytes[offset..<min(offset + AtomHeader.maximumByteCount, range.upperBound)]
            guard atoms.count < maximumCount,
                let atom = AtomHeader.atom(
                    header, at: Int64(offset), limit: Int64(range.upperBound), mayReachEnd: false)
            else { return atoms.isEmpty || !bytes[offset..<range.upperBound].allSatisfy { $0 == 0 } ? nil : atoms }
            atoms.append(atom)
            offset = Int(atom.end)
        }
        return atoms
    }
}
