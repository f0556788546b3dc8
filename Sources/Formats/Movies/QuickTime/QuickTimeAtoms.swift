internal import PosixSupport

/// Finds atoms in untrusted bytes. Their sizes are checked against the file or the enclosing atom, and their number is limited.
enum QuickTimeAtoms {
    /// The most atoms at the top level of a file, or in another atom. No program writes more here.
    static let maximumCount = 200_000
    /// The most bytes of a movie's index that are read: weeks of frames.
    static let maximumIndexSize = 256 << 20

    /// Returns the atoms at the top level of a file, in order.
    /// - Throws: ``MovieError`` of code `malformed` if they do not fill the file.
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

    /// The most bytes before a recording's first frame, because its index lists no frames.
    private static let headerLimit: Int64 = 1 << 20

    /// Returns whether a file begins like a recording but ends before the end of its index, so that it has no frame.
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

    /// Returns the atoms in a part of the bytes; nil if they do not fill it. Zero padding after them is allowed.
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

/// The position of an atom in a file, or in the bytes of the enclosing atom.
struct Atom: Hashable, Sendable {
    let type: AtomType
    /// First byte of its header.
    let start: Int64
    /// First byte after its header.
    let content: Int64
    /// First byte after it.
    let end: Int64
    /// Whether it extends to the end of the file, so that nothing can follow it.
    var isOpenEnded = false
}

/// The first 8 or 16 bytes of an atom (QuickTime File Format, "Atoms").
struct AtomHeader {
    /// The most bytes of a header.
    static let maximumByteCount = 16

    /// Parses the header of the atom that begins at `start` and must end at `limit` or before.
    ///
    /// - Parameters:
    ///   - bytes: From `start`, at least 16 or all up to `limit`.
    ///   - mayReachEnd: Whether a size of 0 means "up to the end", as it may at the top level of a file.
    /// - Returns: nil if header and limit contradict each other.
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

/// The four-character code of an atom (box).
struct AtomType: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    /// Creates the type from four characters of Latin-1, such as `moov` or `©nam`.
    init(stringLiteral text: String) {
        code = text.unicodeScalars.prefix(4).reduce(0) { $0 << 8 | $1.value & 0xFF }
    }

    /// The characters, with `?` for those that are not printable.
    var description: String {
        var text = String.UnicodeScalarView()
        for shift in stride(from: 24, through: 0, by: -8) {
            let value = UInt8(truncatingIfNeeded: code >> UInt32(shift))
            text.append((0x20..<0x7F).contains(value) || value == 0xA9 ? Unicode.Scalar(value) : "?")
        }
        return String(text)
    }
}

/// Builds atoms.
enum AtomWriter {
    /// Returns an atom of these pieces. Its size fits 32 bits, because only indexes are written here.
    static func atom(_ type: AtomType, _ pieces: [UInt8]...) -> [UInt8] {
        let content = pieces.flatMap(\.self)
        return BigEndian.bytes(UInt32(clamping: content.count + 8)) + BigEndian.bytes(type.code) + content
    }

    /// Returns an atom with a version and flags before its pieces.
    static func full(_ type: AtomType, version: UInt8 = 0, flags: UInt32 = 0, _ pieces: [UInt8]...) -> [UInt8] {
        atom(type, BigEndian.bytes(UInt32(version) << 24 | flags & 0xFF_FFFF), pieces.flatMap(\.self))
    }

    /// Returns consecutive numbers of 32 bits.
    static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap(BigEndian.bytes)
    }

    /// Returns four characters as bytes.
    static func code(_ type: AtomType) -> [UInt8] {
        BigEndian.bytes(type.code)
    }

    /// Returns a text after its length.
    static func pascalString(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(255))
        return [UInt8(bytes.count)] + bytes
    }
}

/// Numbers as QuickTime stores them, big-endian.
enum BigEndian {
    /// Returns up to eight bytes as a number.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the bytes of a number.
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
