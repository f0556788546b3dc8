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
    /// A sensor's mosaic: one color at each pixel.
    case bayer(BayerOrder, bits: Int)

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

    /// Whether stills are made of such frames. A mosaic is carried as it is, and not developed.
    public var makesStills: Bool {
        if case .bayer = self { return false }
        return true
    }

    /// How a packed frame lies in memory; nil for JPEG.
    public var structure: PixelStructure? {
        switch self {
        case .jpeg: nil
        case .packed422: PixelStructure([.init(pixels: 2, bytes: 4)])
        case .semiPlanar420: PixelStructure([.init(), .init(pixels: 2, bytes: 2, rows: 2)])
        case .planar420: PixelStructure([.init(), .init(pixels: 2, rows: 2), .init(pixels: 2, rows: 2)])
        case .gray(let bits), .bayer(_, let bits): PixelStructure([.init(bytes: bits > 8 ? 2 : 1)])
        case .rgb: PixelStructure([.init(bytes: 3)])
        }
    }
}
