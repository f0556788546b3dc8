public import PosixSupport

/// Turns a finished QuickTime movie into that of a Live Photo, which no library does: it adds the track with the time
/// of the still, and Apple's metadata.
///
/// This must be the last step, because copying the movie's streams with FFmpeg destroys the track.
public struct LivePhotoMovieWriter: Sendable {
    /// The metadata of the movie.
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

    /// The UUID in upper case that the still also has; nil if the metadata has none.
    public var contentIdentifier: String? { tags[LivePhotoTags.contentIdentifierKey] }

    /// Adds the track and the metadata to a movie in place. A crash during this leaves a movie without an index, so this
    /// must precede the rename that publishes the file. The caller makes the file durable.
    ///
    /// - Parameter file: A finished plain movie, open for ``Folder/Access/updating``.
    /// - Throws: ``MovieError``: `malformed` if it is not such a movie, `invalidInput` if the still's time is outside of the track's range.
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

    /// Returns the still's time in units of the movie.
    private func movieTime(_ timeScale: UInt32) -> UInt32? {
        let (scaled, overflow) = stillTime.multipliedReportingOverflow(by: Int64(timeScale))
        guard stillTime >= 0, !overflow else { return nil }
        return UInt32(exactly: (scaled + MovieTime.unitsPerSecond / 2) / MovieTime.unitsPerSecond)
    }
}

extension LivePhotoMovieWriter {
    /// Reads the metadata of a Live Photo's movie and the time of its still. The file is untrusted.
    ///
    /// - Returns: nil if the movie is not part of a Live Photo.
    /// - Throws: ``MovieError`` if it is not a finished movie, or if the disk fails.
    public static func read(_ file: OpenFile) throws(MovieError) -> LivePhotoMovieWriter? {
        let index = try MovieIndex.read(file).index
        let tags = MovieTags(of: index)
        guard tags[LivePhotoTags.contentIdentifierKey] != nil,
            let track = index.tracks(of: "meta").first(where: { $0.holds(StillImageTimeTrack.key, in: index) })
        else { return nil }
        let time = Int64(track.emptyTime(in: index)) * MovieTime.unitsPerSecond
        return LivePhotoMovieWriter(
            tags: tags, stillTime: (time + Int64(index.timeScale) / 2) / Int64(index.timeScale))
    }
}

extension MovieTrack {
    /// Returns whether the track's samples are values of this metadata key.
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

/// The timed-metadata track with the time of a movie's still: one sample of the key
/// `com.apple.quicktime.still-image-time`. The sample's time is the still's. Its value, -1, has no meaning.
struct StillImageTimeTrack {
    static let key = "com.apple.quicktime.still-image-time"
    /// Size, local number of the key, value.
    private static let sample: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 1, 0xFF]
    /// Bytes of the atom before the sample that it contains.
    static let sampleOffset = 8

    /// The number of this track.
    let identifier: UInt32
    /// The number of the pictures' track.
    let pictures: UInt32
    /// The still's time in units of the movie.
    let time: UInt32
    /// Units per second of the movie. The track uses the same, so that readers that round to a track's units report the
    /// still's time exactly.
    let movieTimeScale: UInt32
    /// The offset of the sample in the file.
    let sampleLocation: Int64

    /// The atom that contains the sample.
    static var media: [UInt8] { AtomWriter.atom("mdat", sample) }

    /// The sample's duration in units of the movie; 1/600 s, as Apple's cameras write it.
    private var shown: UInt32 { max(1, movieTimeScale / 600) }

    /// The atom `trak`.
    var atom: [UInt8] {
        AtomWriter.atom("trak", header, edits, reference, media)
    }

    private var header: [UInt8] {
        let (end, overflow) = time.addingReportingOverflow(shown)
        let times = AtomWriter.words(0, 0, identifier, 0, overflow ? .max : end)
        let matrix = AtomWriter.words(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)
        // Enabled, in movie, in preview, in poster.
        return AtomWriter.full(
            "tkhd", flags: 15, times, [UInt8](repeating: 0, count: 16), matrix, AtomWriter.words(0, 0))
    }

    /// An empty edit up to the still's time, then the sample.
    private var edits: [UInt8] {
        let wait = AtomWriter.words(time, .max, 0x1_0000)
        let show = AtomWriter.words(shown, 0, 0x1_0000)
        return AtomWriter.atom(
            "edts",
            AtomWriter.full("elst", AtomWriter.words(time == 0 ? 1 : 2), time == 0 ? [] : wait, show))
    }

    /// The reference to the track that this one describes.
    private var reference: [UInt8] {
        AtomWriter.atom("tref", AtomWriter.atom("cdsc", AtomWriter.words(pictures)))
    }

    private var media: [UInt8] {
        // Language "und".
        let header = AtomWriter.full("mdhd", AtomWriter.words(0, 0, movieTimeScale, shown), [0x55, 0xC4, 0, 0])
        return AtomWriter.atom("mdia", header, handler("mhlr", "meta", "Core Media Metadata"), information)
    }

    private var information: [UInt8] {
        let generic = AtomWriter.full("gmin", [0, 0x40, 0x80, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0])
        // Flag 1: in the same file.
        let file = AtomWriter.atom(
            "dinf", AtomWriter.full("dref", AtomWriter.words(1), AtomWriter.full("alis", flags: 1)))
        return AtomWriter.atom(
            "minf", AtomWriter.atom("gmhd", generic), handler("dhlr", "alis", "Core Media Data Handler"), file, table)
    }

    private func handler(_ type: AtomType, _ kind: AtomType, _ name: String) -> [UInt8] {
        AtomWriter.full(
            "hdlr", AtomWriter.code(type), AtomWriter.code(kind), AtomWriter.code("appl"), AtomWriter.words(0, 0),
            AtomWriter.pascalString(name))
    }

    private var table: [UInt8] {
        let location =
            UInt32(exactly: sampleLocation).map { AtomWriter.full("stco", AtomWriter.words(1, $0)) }
            ?? AtomWriter.full("co64", AtomWriter.words(1), BigEndian.bytes(sampleLocation))
        return AtomWriter.atom(
            "stbl", description, AtomWriter.full("stts", AtomWriter.words(1, 1, shown)),
            AtomWriter.full("stsc", AtomWriter.words(1, 1, 1, 1)),
            AtomWriter.full("stsz", AtomWriter.words(0, 1, UInt32(Self.sample.count))), location)
    }

    /// The description of the key: its local number 1, and its type 65, a signed byte.
    private var description: [UInt8] {
        let key = AtomWriter.atom("keyd", AtomWriter.code("mdta"), Array(Self.key.utf8))
        let type = AtomWriter.atom("dtyp", AtomWriter.words(0, 65))
        let keys = AtomWriter.atom("keys", AtomWriter.atom(AtomType(code: 1), key, type))
        return AtomWriter.full(
            "stsd", AtomWriter.words(1), AtomWriter.atom("mebx", [0, 0, 0, 0, 0, 0, 0, 1], keys))
    }
}
