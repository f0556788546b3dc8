import CDNG

/// A sensor's samples, one color at each pixel, unpacked.
public struct RawMosaic: Sendable {
    /// Samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Significant bits of a sample: 8 to 16.
    public let bits: Int
    public let order: CFAOrder
    /// Rows from the top, each from the left. No sample is above ``largestSample``.
    public let samples: [UInt16]

    /// The sides that a mosaic may have, in pixels: the range of lossless JPEG.
    public static let sides = 1...65535

    /// The value of a sample with all bits set.
    public var largestSample: UInt16 { Self.largestSample(bits: bits) }

    /// Unpacks a frame as V4L2 delivers it.
    ///
    /// A sample in two bytes that exceeds its bits becomes ``largestSample``.
    /// - Parameters:
    ///   - frame: The frame. Bytes after it are not read.
    ///   - bits: 8, 10, 12, 14 or 16, as the packing allows.
    /// - Throws: ``DNGError``: `invalidSize`, `unsupportedPacking`, or `truncated` if the frame is too short.
    public init(
        unpacking frame: Span<UInt8>, packing: RawPacking, width: Int, height: Int, bits: Int, order: CFAOrder
    ) throws(DNGError) {
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            throw .invalidSize(width: width, height: height)
        }
        guard let group = packing.group(bits: bits) else { throw .unsupportedPacking(packing, bits: bits) }
        let needed = (width + group.samples - 1) / group.samples * group.bytes * height
        guard frame.count >= needed else { throw .truncated(needed: needed, given: frame.count) }
        (self.width, self.height, self.bits, self.order) = (width, height, bits, order)
        samples = unsafe [UInt16](unsafeUninitializedCapacity: width * height) { target, count in
            count = width * height
            unsafe frame.withUnsafeBufferPointer { source in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                unsafe Self.unpack(source, packing, width: width, height: height, bits: bits, into: target)
            }
        }
    }

    init(width: Int, height: Int, bits: Int, order: CFAOrder, samples: [UInt16]) {
        (self.width, self.height, self.bits, self.order, self.samples) = (width, height, bits, order, samples)
    }

    private static func unpack(
        _ source: UnsafePointer<UInt8>, _ packing: RawPacking, width: Int, height: Int, bits: Int,
        into target: UnsafeMutablePointer<UInt16>
    ) {
        switch (packing, bits) {
        case (.bytes, _): unsafe caprig_raw_read_bytes(source, width * height, target)
        case (.words, _): unsafe caprig_raw_read_words(source, width * height, largestSample(bits: bits), target)
        case (.mipi, 10): unsafe caprig_raw_read_mipi10(source, width, height, target)
        case (.mipi, 12): unsafe caprig_raw_read_mipi12(source, width, height, target)
        case (.mipi, _): unsafe caprig_raw_read_mipi14(source, width, height, target)
        }
    }

    private static func largestSample(bits: Int) -> UInt16 { UInt16.max >> UInt16(16 - bits) }
}

/// The colors of a mosaic's first two samples in its first and second row.
public enum CFAOrder: String, Sendable, CaseIterable {
    case rggb, grbg, gbrg, bggr

    /// The value of the tag CFAPattern: 0 is red, 1 green, 2 blue.
    var pattern: [UInt8] {
        switch self {
        case .rggb: [0, 1, 1, 2]
        case .grbg: [1, 0, 2, 1]
        case .gbrg: [1, 2, 0, 1]
        case .bggr: [2, 1, 1, 0]
        }
    }
}

/// The reverse direction, for simulated sensors: a picture becomes a mosaic, and the mosaic a frame.
extension RawMosaic {
    /// A picture in three planes of YCbCr, full range. Rows have no unused bytes.
    public struct Picture {
        /// Bytes of a row of luma, and of a row of chroma.
        public var lumaStride: Int
        public var chromaStride: Int
        /// Whether chroma is sampled at half the width.
        public var isChromaHalved: Bool
        /// The planes Y, Cb and Cr one after another. Chroma has as many rows as luma.
        public var bytes: [UInt8]

        public init(lumaStride: Int, chromaStride: Int, isChromaHalved: Bool, bytes: [UInt8]) {
            self.lumaStride = lumaStride
            self.chromaStride = chromaStride
            self.isChromaHalved = isChromaHalved
            self.bytes = bytes
        }
    }

    /// Creates the samples, proportional to light, of a sensor that sees the picture on an sRGB screen.
    /// - Parameter bits: 8 to 16.
    /// - Throws: ``DNGError``: `invalidSize`, `unsupportedPacking` for other numbers of bits, or `truncated` if the planes are too short.
    public init(
        sampling picture: Picture, width: Int, height: Int, bits: Int, order: CFAOrder
    ) throws(DNGError) {
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            throw .invalidSize(width: width, height: height)
        }
        guard (8...16).contains(bits) else { throw .unsupportedPacking(.words, bits: bits) }
        let (luma, chroma) = (picture.lumaStride, picture.chromaStride)
        let needed = (luma + 2 * chroma) * height
        guard luma >= width, chroma >= (picture.isChromaHalved ? (width + 1) / 2 : width), picture.bytes.count >= needed
        else { throw .truncated(needed: needed, given: picture.bytes.count) }
        var curve = [UInt16](repeating: 0, count: 256)
        unsafe caprig_raw_curve(UInt32(bits), &curve)
        let samples = unsafe [UInt16](unsafeUninitializedCapacity: width * height) { target, count in
            count = width * height
            unsafe picture.bytes.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress, let target = target.baseAddress else { return }
                var planes = unsafe caprig_raw_picture(
                    luma: start, cb: start + luma * height, cr: start + (luma + chroma) * height, luma_stride: luma,
                    chroma_stride: chroma, chroma_shift: picture.isChromaHalved ? 1 : 0)
                unsafe caprig_raw_sample(&planes, width, height, order.pattern, curve, target)
            }
        }
        self.init(width: width, height: height, bits: bits, order: order, samples: samples)
    }

    /// Returns the frame that V4L2 would deliver. ``init(unpacking:packing:width:height:bits:order:)`` reads it.
    /// - Throws: ``DNGError/unsupportedPacking(_:bits:)``.
    public func frame(_ packing: RawPacking) throws(DNGError) -> [UInt8] {
        guard let group = packing.group(bits: bits) else { throw .unsupportedPacking(packing, bits: bits) }
        let count = (width + group.samples - 1) / group.samples * group.bytes * height
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
            written = count
            unsafe samples.withUnsafeBufferPointer { samples in
                guard let source = samples.baseAddress, let target = target.baseAddress else { return }
                switch packing {
                case .bytes: unsafe caprig_raw_write_bytes(source, samples.count, target)
                case .words: unsafe caprig_raw_write_low_words(source, samples.count, target)
                case .mipi: unsafe caprig_raw_write_mipi(source, width, height, UInt32(bits), target)
                }
            }
        }
    }
}

/// The memory layouts of a mosaic's samples in V4L2. Rows follow one another without unused bytes.
public enum RawPacking: Hashable, Sendable, CaseIterable {
    /// One byte per sample: 8 bits.
    case bytes
    /// Two bytes per sample, little-endian, in the low bits: 9 to 16 bits.
    case words
    /// MIPI CSI-2 RAW10, RAW12 or RAW14: the high 8 bits of some samples, then the low bits of all of them.
    case mipi

    /// The number of samples that share a group of bytes, and the size of the group.
    /// - Returns: nil if the packing does not support this number of bits.
    func group(bits: Int) -> (samples: Int, bytes: Int)? {
        switch (self, bits) {
        case (.bytes, 8): (1, 1)
        case (.words, 9...16): (1, 2)
        case (.mipi, 10): (4, 5)
        case (.mipi, 12): (2, 3)
        case (.mipi, 14): (4, 7)
        default: nil
        }
    }
}
