/// The kind and arrangement of the samples of a pixel format.
public enum PixelFamily: Hashable, Sendable {
    /// Each frame is a JPEG image.
    case jpeg
    /// YCbCr 4:2:2 in one plane: two pixels in four bytes, luma at even or at odd positions, Cb before Cr.
    case packed422(lumaFirst: Bool)
    /// YCbCr 4:2:0: a plane of luma, then a plane of pairs, Cb first or Cr first.
    case semiPlanar420(blueFirst: Bool)
    /// YCbCr 4:2:0: planes of luma, Cb and Cr.
    case planar420
    /// Luma only. Samples of more than 8 bits are in the low bits of two bytes, little-endian.
    case gray(bits: Int)
    /// Bytes R, G, B.
    case rgb
    /// A sensor's mosaic: one color at each pixel. Samples of more than 8 bits are in the low bits of two bytes,
    /// little-endian, or packed as in MIPI CSI-2: the high 8 bits of some samples, then the low bits of all of them.
    case bayer(BayerOrder, bits: Int, isPacked: Bool)

    /// The colors of a mosaic's first two samples in its first and second row.
    public enum BayerOrder: String, Hashable, Sendable, CaseIterable {
        case bggr, gbrg, grbg, rggb
    }

    /// Whether samples are luma and chroma, so that the driver's ``SampleRange`` matters.
    public var isYCbCr: Bool {
        switch self {
        case .packed422, .semiPlanar420, .planar420: true
        case .jpeg, .gray, .rgb, .bayer: false
        }
    }

    /// Whether frames are a sensor's samples, from which a picture is developed on demand.
    public var isMosaic: Bool {
        if case .bayer = self { return true }
        return false
    }

    /// The memory layout of a packed frame; nil for JPEG.
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

    /// Returns the smallest group of samples that fills complete bytes: 4 of 10 or 14 bits, 2 of 12.
    private static func packedGroup(bits: Int) -> PixelStructure.Plane {
        let pixels = bits.isMultiple(of: 4) ? 2 : 4
        return .init(pixels: pixels, bytes: pixels * bits / 8)
    }
}

/// The memory layout of the samples of an uncompressed frame: its planes, in order.
public struct PixelStructure: Hashable, Sendable {
    /// One plane: groups of bytes, each for some pixels of a row.
    public struct Plane: Hashable, Sendable {
        /// Pixels of a row that one group covers: 2 if chroma is sampled at half the width.
        public var pixels: Int
        /// Bytes of one group.
        public var bytes: Int
        /// Rows of the picture that one row of the plane covers: 2 if chroma is sampled at half the height.
        public var rows: Int

        public init(pixels: Int = 1, bytes: Int = 1, rows: Int = 1) {
            self.pixels = max(pixels, 1)
            self.bytes = max(bytes, 1)
            self.rows = max(rows, 1)
        }

        /// Returns the bytes of a row without padding. An incomplete group counts in full.
        public func rowBytes(width: Int) -> Int { (width + pixels - 1) / pixels * bytes }

        /// Returns the rows of the plane.
        public func rowCount(height: Int) -> Int { (height + rows - 1) / rows }
    }

    public var planes: [Plane]

    public init(_ planes: [Plane]) {
        self.planes = planes
    }

    /// The allowed sides. The limit keeps products of hostile numbers from overflowing.
    public static let sides = 1...65535

    /// Returns the bytes of a packed frame; nil for sides outside of ``sides``.
    public func byteCount(width: Int, height: Int) -> Int? {
        guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
        return planes.reduce(0) { $0 + $1.rowBytes(width: width) * $1.rowCount(height: height) }
    }
}
