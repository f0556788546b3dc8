import ImageMetadata

/// The TIFF directory of a DNG's samples.
struct RawDirectory {
    let mosaic: RawMosaic
    let color: RawColor
    let stripByteCount: Int
    let isCompressed: Bool

    /// Returns the beginning of a file in which only the samples follow. They are its only image.
    func fileHeader() -> [UInt8] {
        let start = TIFFHeader.bytes.count
        let strip = start + alone(at: 0).byteCount
        return TIFFHeader.bytes + alone(at: strip).serialized(at: UInt32(start))
    }

    private func alone(at strip: Int) -> TIFFDirectory {
        var directory = TIFFDirectory()
        for field in fields(at: strip) + color.fields { directory.add(field) }
        directory.add(.text(0xC614, "Unknown camera"))
        return directory
    }

    /// Returns the fields of the directory. The samples begin at `strip`, from the file's start.
    func fields(at strip: Int) -> [TIFFEntry] {
        let (width, height) = (UInt32(clamping: mosaic.width), UInt32(clamping: mosaic.height))
        return [
            .long(0x00FE, 0), .long(0x0100, width), .long(0x0101, height), .short(0x0102, mosaic.bits > 8 ? 16 : 8),
            // 7: JPEG, here lossless. 1: not compressed. 32803: color filter array.
            .short(0x0103, isCompressed ? 7 : 1), .short(0x0106, 32803), .long(0x0111, UInt32(clamping: strip)),
            .short(0x0115, 1), .long(0x0116, height), .long(0x0117, UInt32(clamping: stripByteCount)),
            .short(0x011C, 1),
        ] + mosaicFields + levels + area(width, height)
    }

    private var mosaicFields: [TIFFEntry] {
        [
            .shorts(0x828D, [2, 2]), .octets(0x828E, mosaic.order.pattern),
            // The planes are red, green, blue, in a rectangular layout.
            .octets(0xC616, [0, 1, 2]), .short(0xC617, 1),
        ]
    }

    private var levels: [TIFFEntry] {
        [
            .shorts(0xC619, [1, 1]), .short(0xC61A, color.blackLevel),
            .long(0xC61D, UInt32(min(color.whiteLevel, mosaic.largestSample))),
        ]
    }

    /// Returns the fields of the active and default area. All samples are active. Converters show all except the
    /// margin, for which colors cannot be interpolated.
    private func area(_ width: UInt32, _ height: UInt32) -> [TIFFEntry] {
        let margin: UInt32 = min(width, height) > 4 * Self.margin ? Self.margin : 0
        return [
            .rationals(0xC61E, [EXIFRational(1, 1), EXIFRational(1, 1)]), .longs(0xC61F, [margin, margin]),
            .longs(0xC620, [width - 2 * margin, height - 2 * margin]), .rational(0xC65C, EXIFRational(1, 1)),
            .longs(0xC68D, [0, 0, height, width]),
        ]
    }

    /// Samples at each side. With fewer, Adobe's SDK warns of artifacts.
    private static let margin: UInt32 = 2
}

/// The levels and colors of a camera's samples.
public struct RawColor: Hashable, Sendable {
    /// The matrix that converts XYZ to the camera's linear red, green and blue, row by row (ColorMatrix1), for daylight of 6500 K.
    public var colorMatrix: [Double]
    /// The camera's red, green and blue of a neutral surface in the light of the picture (AsShotNeutral).
    public var asShotNeutral: [Double]
    /// The sample for no light.
    public var blackLevel: UInt16
    /// The sample at which the sensor saturates. In a file, it is limited to what the samples' bits allow.
    public var whiteLevel: UInt16

    /// The matrix from XYZ to linear sRGB (IEC 61966-2-1), for an unknown camera.
    public static let sRGB = [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570]

    /// - Parameters:
    ///   - colorMatrix: Nine numbers; any other count is replaced by ``sRGB``.
    ///   - asShotNeutral: Three positive numbers; otherwise each is 1.
    public init(
        colorMatrix: [Double] = sRGB, asShotNeutral: [Double] = [1, 1, 1], blackLevel: UInt16 = 0, whiteLevel: UInt16
    ) {
        self.colorMatrix = colorMatrix.count == 9 ? colorMatrix : Self.sRGB
        self.asShotNeutral =
            asShotNeutral.count == 3 && asShotNeutral.allSatisfy { $0 > 0 } ? asShotNeutral : [1, 1, 1]
        self.blackLevel = blackLevel
        self.whiteLevel = whiteLevel
    }
}

extension RawColor {
    /// The fields of IFD0 for the file's version and the samples' colors.
    var fields: [TIFFEntry] {
        [
            .octets(0xC612, [1, 4, 0, 0]),
            // Readers of version 1.1 can read everything in the file.
            .octets(0xC613, [1, 1, 0, 0]), .signedRationals(0xC621, colorMatrix),
            .rationals(0xC628, asShotNeutral.map(EXIFRational.init(neutral:))),
            // 21: D65.
            .short(0xC65A, 21),
        ]
    }
}

extension EXIFRational {
    /// Rounds to millionths. Values above 4000 become 4000.
    fileprivate init(neutral value: Double) {
        self.init(UInt32(exactly: (min(value, 4000) * 1_000_000).rounded()) ?? 1_000_000, 1_000_000)
    }
}

/// The header of a big-endian TIFF file whose first directory follows directly.
enum TIFFHeader {
    static let bytes: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
}
