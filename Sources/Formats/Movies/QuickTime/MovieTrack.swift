/// One track of a movie's index.
struct MovieTrack {
    /// `vide`, `soun`, `meta`, `tmcd`.
    let kind: AtomType
    /// The number by which other tracks refer to it.
    let identifier: UInt32
    /// The content of its atom, by offset in the index's bytes.
    let content: Range<Int>

    /// nil where the track says of itself neither what it is nor its number.
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

    /// How long the track stays empty before its media begins, in the movie's units: the first edit where that is an
    /// empty one, else 0.
    func emptyTime(in index: MovieIndex) -> UInt32 {
        guard let edits = index.content(of: ["edts", "elst"], in: content),
            index.bytes[edits].first == 0, let count = index.word(at: edits.lowerBound + 4, in: edits), count > 0,
            let duration = index.word(at: edits.lowerBound + 8, in: edits),
            index.word(at: edits.lowerBound + 12, in: edits) == .max
        else { return 0 }
        return duration
    }
}
