/// The timed-metadata track that says where in a movie its still lies: one sample of the key
/// `com.apple.quicktime.still-image-time`, whose time is the still's and whose value, -1, has no meaning.
struct StillImageTimeTrack {
    static let key = "com.apple.quicktime.still-image-time"
    /// Size, local number of the key, value.
    private static let sample: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 1, 0xFF]
    /// Bytes of the atom around the sample before it.
    static let sampleOffset = 8

    /// The number of this track.
    let identifier: UInt32
    /// The number of the pictures' track.
    let pictures: UInt32
    /// The still's time in units of the movie.
    let time: UInt32
    /// Units a second of the movie, which the track takes over, so that readers which round to a track's units tell the
    /// still's time exactly.
    let movieTimeScale: UInt32
    /// Where in the file the sample stands.
    let sampleLocation: Int64

    /// The atom that holds the sample.
    static var media: [UInt8] { AtomWriter.atom("mdat", sample) }

    /// The sample's duration, 1/600 s as Apple's cameras write it, in units of the movie.
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

    /// Nothing up to the still's time, then the sample.
    private var edits: [UInt8] {
        let wait = AtomWriter.words(time, .max, 0x1_0000)
        let show = AtomWriter.words(shown, 0, 0x1_0000)
        return AtomWriter.atom(
            "edts",
            AtomWriter.full("elst", AtomWriter.words(time == 0 ? 1 : 2), time == 0 ? [] : wait, show))
    }

    /// Says which track this one describes.
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
        // Flag 1: in this very file.
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

    /// Names the key by the local number 1, and its type: 65, a signed byte.
    private var description: [UInt8] {
        let key = AtomWriter.atom("keyd", AtomWriter.code("mdta"), Array(Self.key.utf8))
        let type = AtomWriter.atom("dtyp", AtomWriter.words(0, 65))
        let keys = AtomWriter.atom("keys", AtomWriter.atom(AtomType(code: 1), key, type))
        return AtomWriter.full(
            "stsd", AtomWriter.words(1), AtomWriter.atom("mebx", [0, 0, 0, 0, 0, 0, 0, 1], keys))
    }
}
