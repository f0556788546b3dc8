/// Texts of a whole movie by QuickTime's metadata keys: the atom `moov/meta` (QuickTime File Format, "Metadata").
struct MovieTags: Hashable, Sendable {
    /// Keys and values, in the order in which they are stored.
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

    /// The atom; Apple's has no version in front, unlike the ISO's.
    var atom: [UInt8] {
        let keys = entries.flatMap { entry in
            let key = Array(entry.key.utf8)
            return BigEndian.bytes(UInt32(clamping: key.count + 8)) + AtomWriter.code("mdta") + key
        }
        let items = entries.enumerated().flatMap { index, entry in
            // 1: UTF-8; then the locale: any.
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
    /// What a movie says of itself; empty where it has no such atom. For untrusted bytes.
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
            // Each key is laid out as an atom is: size, namespace, text.
            let keys = QuickTimeAtoms.children(of: index.bytes, in: table.lowerBound + 8..<table.upperBound)
        else { return [] }
        return keys.map { String(decoding: index.bytes[MovieIndex.range($0)], as: UTF8.self) }
    }
}
