internal import PosixSupport

/// A movie's index, the atom `moov`, as far as it is needed to add to it.
struct MovieIndex {
    /// The atom's content, without its header.
    let bytes: [UInt8]
    /// What it holds, by offset in ``bytes``.
    let children: [Atom]
    /// Units a second of the movie's own times.
    let timeScale: UInt32
    /// Where in ``bytes`` the number stands that the next track will have.
    private let nextTrackOffset: Int

    /// The number that the next track will have.
    var nextTrack: UInt32 { UInt32(truncatingIfNeeded: BigEndian.number(bytes[nextTrackOffset..<nextTrackOffset + 4])) }

    /// - Throws: ``MovieError`` of code `malformed`.
    init(_ bytes: [UInt8], path: String) throws(MovieError) {
        self.bytes = bytes
        guard let children = QuickTimeAtoms.children(of: bytes, in: 0..<bytes.count),
            let header = children.first(where: { $0.type == "mvhd" })
        else { throw MovieError(.malformed, "read", path, "its index has no header") }
        self.children = children
        let content = Self.range(header)
        // Version 1 has times of 64 bits.
        let isLong = bytes[content].first == 1
        guard content.count >= (isLong ? 112 : 100) else {
            throw MovieError(.malformed, "read", path, "the header of its index is too short")
        }
        let scale = content.lowerBound + (isLong ? 20 : 12)
        timeScale = UInt32(truncatingIfNeeded: BigEndian.number(bytes[scale..<scale + 4]))
        guard timeScale > 0 else { throw MovieError(.malformed, "read", path, "its time scale is 0") }
        nextTrackOffset = content.lowerBound + (isLong ? 108 : 96)
    }

    /// The index of a file, the last `moov` at its top, and what lies at the file's end.
    static func read(_ file: OpenFile) throws(MovieError) -> (atom: Atom, last: Atom, index: MovieIndex) {
        let atoms = try QuickTimeAtoms.atoms(of: file)
        guard let atom = atoms.last(where: { $0.type == "moov" }), let last = atoms.last else {
            throw MovieError(.malformed, "read", file.path, "it has no index; it was not finished")
        }
        let size = atom.end - atom.content
        guard size <= Int64(QuickTimeAtoms.maximumIndexSize) else {
            throw MovieError(.malformed, "read", file.path, "its index of \(size) bytes is too large")
        }
        let bytes = try file.movieBytes(at: atom.content, count: Int(size))
        guard bytes.count == Int(size) else {
            throw MovieError(.malformed, "read", file.path, "it has shrunk meanwhile")
        }
        return (atom, last, try MovieIndex(bytes, path: file.path))
    }

    /// The tracks whose media is of a kind: `vide`, `soun`, `meta`.
    func tracks(of kind: AtomType) -> [MovieTrack] {
        children.filter { $0.type == "trak" }.compactMap { MovieTrack(self, $0) }.filter { $0.kind == kind }
    }

    /// The content of the first atom at the end of a path of types, within the movie or one of its atoms.
    func content(of path: [AtomType], in range: Range<Int>? = nil) -> Range<Int>? {
        path.reduce(range ?? 0..<bytes.count) { (range: Range<Int>?, type) in
            range.flatMap { QuickTimeAtoms.children(of: bytes, in: $0) }?.first { $0.type == type }.map(Self.range)
        }
    }

    /// A number of 32 bits in the index; nil outside of `range`.
    func word(at offset: Int, in range: Range<Int>) -> UInt32? {
        guard offset >= range.lowerBound, offset <= range.upperBound - 4 else { return nil }
        return UInt32(truncatingIfNeeded: BigEndian.number(bytes[offset..<offset + 4]))
    }

    /// The content with other atoms at its end, the number of the next track raised, and atoms of one type left out.
    func adding(_ atoms: [UInt8], nextTrack: UInt32, without type: AtomType) -> [UInt8] {
        var changed = bytes
        changed.replaceSubrange(nextTrackOffset..<nextTrackOffset + 4, with: BigEndian.bytes(nextTrack))
        let kept = children.filter { $0.type != type }.flatMap { changed[Int($0.start)..<Int($0.end)] }
        return kept + atoms
    }

    static func range(_ atom: Atom) -> Range<Int> {
        Int(atom.content)..<Int(atom.end)
    }
}
