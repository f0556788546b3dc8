import CDNG

/// A sensor's samples, one colour at each pixel, unpacked.
public struct RawMosaic: Sendable {
    /// Samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Significant bits of a sample: 8 to 16.
    public let bits: Int
    public let order: CFAOrder
    /// Rows from the top, each from the left; no sample is above ``largestSample``.
    public let samples: [UInt16]

    /// Sides that a mosaic may have, in pixels: what lossless JPEG can say.
    public static let sides = 1...65535

    /// The value of a sample whose bits are all set.
    public var largestSample: UInt16 { Self.largestSample(bits: bits) }

    /// Unpacks a frame as V4L2 delivers it.
    ///
    /// A sample in two bytes that is larger than its bits allow becomes ``largestSample``.
    /// - Parameters:
    ///   - frame: The frame; bytes behind it are not read.
    ///   - bits: 8, 10, 12, 14 or 16, as the packing allows.
    /// - Throws: ``DNGError``: `invalidSize`, `unsupportedPacking`, or `truncated` where the frame is too short.
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
