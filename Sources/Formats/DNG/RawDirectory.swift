import ImageMetadata

/// The directory of a DNG's samples.
struct RawDirectory {
    let mosaic: RawMosaic
    let colour: RawColour
    let stripByteCount: Int
    let isCompressed: Bool

    /// A file's beginning where the samples follow at once, with nothing else: they are its one image.
    func fileHeader() -> [UInt8] {
        let start = TIFFHeader.bytes.count
        let strip = start + alone(at: 0).byteCount
        return TIFFHeader.bytes + alone(at: strip).serialized(at: UInt32(start))
    }

    private func alone(at strip: Int) -> TIFFDirectory {
        var directory = TIFFDirectory()
        for field in fields(at: strip) + colour.fields { directory.add(field) }
        directory.add(.text(0xC614, "Unknown camera"))
        return directory
    }

    /// The fields of the directory, whose samples begin at an offset from the file's start.
    func fields(at strip: Int) -> [TIFFEntry] {
        let (width, height) = (UInt32(clamping: mosaic.width), UInt32(clamping: mosaic.height))
        return [
            .long(0x00FE, 0), .long(0x0100, width), .long(0x0101, height), .short(0x0102, mosaic.bits > 8 ? 16 : 8),
            // 7: JPEG, lossless here. 1: not compressed. 32803: colour filter array.
            .short(0x0103, isCompressed ? 7 : 1), .short(0x0106, 32803), .long(0x0111, UInt32(clamping: strip)),
            .short(0x0115, 1), .long(0x0116, height), .long(0x0117, UInt32(clamping: stripByteCount)),
            .short(0x011C, 1),
        ] + mosaicFields + levels + area(width, height)
    }

    private var mosaicFields: [TIFFEntry] {
        [
            .shorts(0x828D, [2, 2]), .octets(0x828E, mosaic.order.pattern),
            // The planes are red, green, blue; they lie in a rectangle.
            .octets(0xC616, [0, 1, 2]), .short(0xC617, 1),
        ]
    }

    private var levels: [TIFFEntry] {
        [
            .shorts(0xC619, [1, 1]), .short(0xC61A, colour.blackLevel),
            .long(0xC61D, UInt32(min(colour.whiteLevel, mosaic.largestSample))),
        ]
    }

    /// Every sample counts. Converters are to show all but the margin, of which colours cannot be interpolated.
    private func area(_ width: UInt32, _ height: UInt32) -> [TIFFEntry] {
        let margin: UInt32 = min(width, height) > 4 * Self.margin ? Self.margin : 0
        return [
            .rationals(0xC61E, [EXIFRational(1, 1), EXIFRational(1, 1)]), .longs(0xC61F, [margin, margin]),
            .longs(0xC620, [width - 2 * margin, height - 2 * margin]), .rational(0xC65C, EXIFRational(1, 1)),
            .longs(0xC68D, [0, 0, height, width]),
        ]
    }

    /// Samples at each side; with fewer, Adobe's SDK warns of artifacts.
    private static let margin: UInt32 = 2
}
