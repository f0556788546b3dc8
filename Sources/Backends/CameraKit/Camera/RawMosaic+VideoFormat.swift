public import CaptureModel
public import DNG

extension RawMosaic {
    /// Unpacks the samples of a packed frame of a mosaic format.
    /// - Throws: ``DNGError``; `unsupportedPacking` for other formats.
    public init(frame: Span<UInt8>, format: VideoFormat) throws(DNGError) {
        guard case .bayer(let order, let bits, let isPacked) = format.pixelFormat.family else {
            throw .unsupportedPacking(.bytes, bits: 0)
        }
        try self.init(
            unpacking: frame, packing: RawPacking(bits: bits, isPacked: isPacked), width: format.width,
            height: format.height, bits: bits, order: CFAOrder(order))
    }
}

extension RawPacking {
    package init(bits: Int, isPacked: Bool) {
        self = isPacked ? .mipi : bits > 8 ? .words : .bytes
    }
}

extension CFAOrder {
    package init(_ order: PixelFamily.BayerOrder) {
        switch order {
        case .bggr: self = .bggr
        case .gbrg: self = .gbrg
        case .grbg: self = .grbg
        case .rggb: self = .rggb
        }
    }
}
