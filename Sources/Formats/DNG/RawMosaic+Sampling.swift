import CDNG

/// The other way round, for sensors made of software: a picture becomes a mosaic, and that a frame.
extension RawMosaic {
    /// A picture in three planes of YCbCr, full range, rows without unused bytes.
    public struct Picture {
        /// Bytes of a row of luma, and of a row of chroma.
        public var lumaStride: Int
        public var chromaStride: Int
        /// Whether chroma is sampled at half the width.
        public var isChromaHalved: Bool
        /// The planes Y, Cb and Cr one after another, chroma with as many rows as luma.
        public var bytes: [UInt8]

        public init(lumaStride: Int, chromaStride: Int, isChromaHalved: Bool, bytes: [UInt8]) {
            self.lumaStride = lumaStride
            self.chromaStride = chromaStride
            self.isChromaHalved = isChromaHalved
            self.bytes = bytes
        }
    }

    /// The samples in proportion to light that a sensor delivers where a screen would show the picture (sRGB).
    /// - Parameter bits: 8 to 16.
    /// - Throws: ``DNGError``: `invalidSize`; `truncated` where the planes are too short.
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

    /// The frame that V4L2 would deliver; ``init(unpacking:packing:width:height:bits:order:)`` reads it.
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
