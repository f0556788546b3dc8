/// The same calls for JPEGs held in arrays.
extension JPEGDecoder {
    /// Reads size and subsampling; see ``header(of:)-(Span<UInt8>)``.
    public func header(of jpeg: [UInt8]) throws(TurboJPEGError) -> JPEGHeader {
        try header(of: jpeg.span)
    }

    /// Decodes the brightness only; see ``decodeLuma(_:scale:into:)-(Span<UInt8>,_,_)``.
    public func decodeLuma(
        _ jpeg: [UInt8], scale: DecodeScale = .full, into image: inout LumaImage
    ) throws(TurboJPEGError) {
        try decodeLuma(jpeg.span, scale: scale, into: &image)
    }

    /// Checks the entropy-coded data; see ``verify(_:)-(Span<UInt8>)``.
    @discardableResult
    public func verify(_ jpeg: [UInt8]) throws(TurboJPEGError) -> JPEGHeader {
        try verify(jpeg.span)
    }
}
