internal import PosixSupport

/// A movie's index, the atom `moov`, parsed as far as necessary to add to it.
struct MovieIndex {
    /// The atom's content, without its header.
    let bytes: [UInt8]
    /// The atoms in it, by offset in ``bytes``.
    let children: [Atom]
    /// Units per second of the movie's times.
    let timeScale: UInt32
    /// The offset in ``bytes`` of the number of the next track.
    private let nextTrackOffset: Int

    /// The number of the next track.
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

    /// Reads the index of a file, which is its last top-level `moov`, and the last atom of the file.
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
            throw MovieError(.malformed, "read", file.path, "it has shrunk while it was read")
        }
        return (atom, last, try MovieIndex(bytes, path: file.path))
    }

    /// Returns the tracks whose media is of a kind: `vide`, `soun`, `meta`.
    func tracks(of kind: AtomType) -> [MovieTrack] {
        children.filter { $0.type == "trak" }.compactMap { MovieTrack(self, $0) }.filter { $0.kind == kind }
    }

    /// Returns the content of the first atom at the end of a path of types, within the movie or one of its atoms.
    func content(of path: [AtomType], in range: Range<Int>? = nil) -> Range<Int>? {
        path.reduce(range ?? 0..<bytes.count) { (range: Range<Int>?, type) in
            range.flatMap { QuickTimeAtoms.children(of: bytes, in: $0) }?.first { $0.type == type }.map(Self.range)
        }
    }

    /// Returns a number of 32 bits in the index; nil outside of `range`.
    func word(at offset: Int, in range: Range<Int>) -> UInt32? {
        guard offset >= range.lowerBound, offset <= range.upperBound - 4 else { return nil }
        return UInt32(truncatingIfNeeded: BigEndian.number(bytes[offset..<offset + 4]))
    }

    /// Returns the content with other atoms at its end, a higher number of the next track, and without atoms of one type.
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

/// Metadata of a complete movie by QuickTime's keys: the atom `moov/meta` (QuickTime File Format, "Metadata").
struct MovieTags: Hashable, Sendable {
    /// Keys and values, in stored order.
    var entries: [(key: String, value: String)]

    static func == (left: MovieTags, right: MovieTags) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        for (key, value) in entries {
            hasher.combine(key)
            hasher.combine(value)
        }
    }

    subscript(key: String) -> String? {
        entries.first { $0.key == key }?.value
    }

    /// The atom. Apple's form has no version before its content, unlike the ISO's.
    var atom: [UInt8] {
        let keys = entries.flatMap { entry in
            let key = Array(entry.key.utf8)
            return BigEndian.bytes(UInt32(clamping: key.count + 8)) + AtomWriter.code("mdta") + key
        }
        let items = entries.enumerated().flatMap { index, entry in
            // 1: UTF-8. Then the locale: any.
            let data = AtomWriter.atom("data", AtomWriter.words(1, 0), Array(entry.value.utf8))
            return AtomWriter.atom(AtomType(code: UInt32(clamping: index + 1)), data)
        }
        return AtomWriter.atom(
            "meta",
            AtomWriter.full("hdlr", AtomWriter.words(0), AtomWriter.code("mdta"), AtomWriter.words(0, 0, 0), [0, 0]),
            AtomWriter.full("keys", AtomWriter.words(UInt32(clamping: entries.count)), keys),
            AtomWriter.atom("ilst", items))
    }
}

extension MovieTags {
    /// Reads the metadata of a movie; empty if it has none. The bytes are untrusted.
    init(of index: MovieIndex) {
        entries = []
        guard let meta = index.content(of: ["meta"]), let list = index.content(of: ["ilst"], in: meta),
            let items = QuickTimeAtoms.children(of: index.bytes, in: list)
        else { return }
        let keys = Self.keys(of: index, in: meta)
        for item in items {
            guard let key = Int(exactly: item.type.code), keys.indices.contains(key - 1),
                let data = index.content(of: ["data"], in: MovieIndex.range(item)), data.count >= 8,
                index.word(at: data.lowerBound, in: data) == 1
            else { continue }
            let text = index.bytes[data.dropFirst(8)]
            entries.append((keys[key - 1], String(decoding: text, as: UTF8.self)))
        }
    }

    private static func keys(of index: MovieIndex, in meta: Range<Int>) -> [String] {
        guard let table = index.content(of: ["keys"], in: meta), table.count >= 8,
            // Each key has the layout of an atom: size, namespace, text.
            let keys = QuickTimeAtoms.children(of: index.bytes, in: table.lowerBound + 8..<table.upperBound)
        else { return [] }
        return keys.map { String(decoding: index.bytes[MovieIndex.range($0)], as: UTF8.self) }
    }
}

/// One track of a movie's index.
struct MovieTrack {
    /// `vide`, `soun`, `meta`, `tmcd`.
    let kind: AtomType
    /// The number by which other tracks refer to it.
    let identifier: UInt32
    /// The content of its atom, by offset in the index's bytes.
    let content: Range<Int>

    /// - Returns: nil if the track states no handler or number.
    init?(_ index: MovieIndex, _ atom: Atom) {
        content = MovieIndex.range(atom)
        guard let handler = index.content(of: ["mdia", "hdlr"], in: content),
            let header = index.content(of: ["tkhd"], in: content),
            let kind = index.word(at: handler.lowerBound + 8, in: handler)
        else { return nil }
        let isLong = index.bytes[header].first == 1
        guard let identifier = index.word(at: header.lowerBound + (isLong ? 20 : 12), in: header) else { return nil }
        self.kind = AtomType(code: kind)
        self.identifier = identifier
    }

    /// Returns the time for which the track is empty before its media begins, in the movie's units: the first edit if
    /// it is an empty one, otherwise 0.
    func emptyTime(in index: MovieIndex) -> UInt32 {
        guard let edits = index.content(of: ["edts", "elst"], in: content),
            index.bytes[edits].first == 0, let count = index.word(at: edits.lowerBound + 4, in: edits), count > 0,
            let duration = index.word(at: edits.lowerBound + 8, in: edits),
            index.word(at: edits.lowerBound + 12, in: edits) == .max
        else { return 0 }
        return duration
    }
}
