/// What the samples of a pixel format are and how they are arranged.
public enum PixelFamily: Hashable, Sendable {
    /// Each frame is a JPEG image.
    case jpeg
    /// YCbCr 4:2:2 in one plane: two pixels in four bytes, luma at even or at odd places, Cb before Cr.
    case packed422(lumaFirst: Bool)
    /// YCbCr 4:2:0: a plane of luma, then a plane of pairs, Cb first or Cr first.
    case semiPlanar420(blueFirst: Bool)
    /// YCbCr 4:2:0: planes of luma, Cb and Cr.
    case planar420
    /// Luma only; more than 8 bits in two bytes each, little-endian, in the low bits.
    case gray(bits: Int)
    /// Bytes R, G, B.
    case rgb
    /// A sensor's mosaic: one color at each pixel. Samples of more than 8 bits lie in two bytes each, little-endian, in
    /// the low bits; or packed as MIPI CSI-2 has them, some samples' high 8 bits in front of the low bits of all.
    case bayer(BayerOrder, bits: Int, isPacked: Bool)

    /// The colors of a mosaic's first two samples in its first and second row.
    public enum BayerOrder: String, Hashable, Sendable, CaseIterable {
        case bggr, gbrg, grbg, rggb
    }

    /// Whether samples are luma and chroma, so that ``SampleRange`` matters as a driver tells it.
    public var isYCbCr: Bool {
        switch self {
        case .packed422, .semiPlanar420, .planar420: true
        case .jpeg, .gray, .rgb, .bayer: false
        }
    }

    /// Whether frames are a sensor's samples, of which a picture is developed where one is wanted.
    public var isMosaic: Bool {
        if case .bayer = self { return true }
        return false
    }

    /// How a packed frame lies in memory; nil for JPEG.
    public var structure: PixelStructure? {
        switch self {
        case .jpeg: nil
        case .packed422: PixelStructure([.init(pixels: 2, bytes: 4)])
        case .semiPlanar420: PixelStructure([.init(), .init(pixels: 2, bytes: 2, rows: 2)])
        case .planar420: PixelStructure([.init(), .init(pixels: 2, rows: 2), .init(pixels: 2, rows: 2)])
        case .gray(let bits), .bayer(_, let bits, isPacked: false): PixelStructure([.init(bytes: bits > 8 ? 2 : 1)])
        case .bayer(_, let bits, isPacked: true): PixelStructure([Self.packedGroup(bits: bits)])
        case .rgb: PixelStructure([.init(bytes: 3)])
        }
    }

    /// As many samples as fill whole bytes: 4 of 10 or 14 bits, 2 of 12.
    private static func packedGroup(bits: Int) -> PixelStructure.Plane {
        let pixels = bits.isMultiple(of: 4) ? 2 : 4
        return .init(pixels: pixels, bytes: pixels * bits / 8)
    }
}
