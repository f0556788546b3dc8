public import PosixSupport

/// Makes a finished QuickTime movie the moving half of a Live Photo, which no library does: it adds the track that says where
/// the still lies, and Apple's texts.
///
/// It is the last step: copying the movie's streams with FFmpeg afterwards destroys the track.
public struct LivePhotoMovie: Sendable {
    /// What the movie says of itself.
    var tags: MovieTags
    /// The still's time in 1/90 000 s from the movie's start.
    public var stillTime: Int64

    public init(tags: LivePhotoTags, stillTime: Int64) {
        self.init(tags: tags.tags, stillTime: stillTime)
    }

    init(tags: MovieTags, stillTime: Int64) {
        self.tags = tags
        self.stillTime = stillTime
    }

    /// Upper-case UUID that the still has too; nil where the texts have none.
    public var contentIdentifier: String? { tags[LivePhotoTags.contentIdentifierKey] }

    /// Adds to a movie in place. A crash in between leaves a movie without an index, so this belongs before the rename
    /// that makes the file known; making it durable is the caller's.
    ///
    /// - Parameter file: A plain movie that is finished, open for ``Folder/Access/updating``.
    /// - Throws: ``MovieError``: `malformed` where it is no such movie, `invalidInput` where the still's time is outside
    ///   of what the track can say.
    public func add(to file: OpenFile) throws(MovieError) {
        let (atom, last, index) = try MovieIndex.read(file)
        let isLast = atom == last
        guard let pictures = index.tracks(of: "vide").first else {
            throw MovieError(.malformed, "read", file.path, "it has no pictures")
        }
        guard isLast || !last.isOpenEnded else {
            throw MovieError(.malformed, "read", file.path, "its last atom has no size, so nothing can follow it")
        }
        guard let time = movieTime(index.timeScale), index.nextTrack < .max else {
            throw MovieError(.invalidInput, "pair", file.path, "its still cannot be at \(stillTime)/90000 s")
        }
        do throws(PosixError) {
            let end = isLast ? atom.start : try file.byteCount()
            if !isLast { try file.write(AtomWriter.code("free").span, at: atom.start + 4) }
            try file.setByteCount(end)
            let track = StillImageTimeTrack(
                identifier: index.nextTrack, pictures: pictures.identifier, time: time, movieTimeScale: index.timeScale,
                sampleLocation: end + Int64(StillImageTimeTrack.sampleOffset))
            let content = index.adding(track.atom + tags.atom, nextTrack: index.nextTrack + 1, without: "meta")
            let added = StillImageTimeTrack.media + AtomWriter.atom("moov", content)
            try file.write(added.span, at: end)
        } catch {
            throw MovieError(error)
        }
    }

    /// The still's time in units of the movie.
    private func movieTime(_ timeScale: UInt32) -> UInt32? {
        let (scaled, overflow) = stillTime.multipliedReportingOverflow(by: Int64(timeScale))
        guard stillTime >= 0, !overflow else { return nil }
        return UInt32(exactly: (scaled + MovieTime.unitsPerSecond / 2) / MovieTime.unitsPerSecond)
    }
}

extension LivePhotoMovie {
    /// What the movie of a Live Photo says of itself and of its still; for untrusted files.
    ///
    /// - Returns: nil where the movie is not the half of a Live Photo.
    /// - Throws: ``MovieError``: no finished movie, or a disk that fails.
    public static func read(_ file: OpenFile) throws(MovieError) -> LivePhotoMovie? {
        let index = try MovieIndex.read(file).index
        let tags = MovieTags(of: index)
        guard tags[LivePhotoTags.contentIdentifierKey] != nil,
            let track = index.tracks(of: "meta").first(where: { $0.holds(StillImageTimeTrack.key, in: index) })
        else { return nil }
        let time = Int64(track.emptyTime(in: index)) * MovieTime.unitsPerSecond
        return LivePhotoMovie(
            tags: tags, stillTime: (time + Int64(index.timeScale) / 2) / Int64(index.timeScale))
    }
}

extension MovieTrack {
    /// Whether the track's samples are values of this metadata key.
    func holds(_ key: String, in index: MovieIndex) -> Bool {
        guard let table = index.content(of: ["mdia", "minf", "stbl", "stsd"], in: content), table.count >= 24,
            let keys = index.content(of: ["keys"], in: table.lowerBound + 24..<table.upperBound),
            let entries = QuickTimeAtoms.children(of: index.bytes, in: keys)
        else { return false }
        return entries.contains { entry in
            index.content(of: ["keyd"], in: MovieIndex.range(entry)).map { range in
                index.bytes[range].dropFirst(4).elementsEqual(key.utf8)
            } ?? false
        }
    }
}
