import CTurboJPEG

extension JPEGDecoder {
    /// Decodes to planes as the JPEG has them, without converting colours.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG; trailing padding is allowed.
    ///   - scale: Scaled decodes are cheaper.
    ///   - image: Receives the planes, and ``PlanarImage/warning`` when the data is damaged; its storage is reused.
    /// - Throws: ``TurboJPEGError`` when no picture can be made; `image` is then unspecified.
    public func decodePlanes(
        _ jpeg: Span<UInt8>, scale: DecodeScale = .full, into image: inout PlanarImage
    ) throws(TurboJPEGError) {
        let header = try header(of: jpeg)
        let (width, height) = (scale.applied(to: header.width), scale.applied(to: header.height))
        image.resize(width: width, height: height, subsampling: header.subsampling)
        image.warning = nil
        var strides = image.geometry.strides.map { Int32(clamping: $0) }
        let offsets = image.offsets
        let status = unsafe image.bytes.withUnsafeMutableBufferPointer { pixels in
            var planes = unsafe offsets.dropLast().map { offset in
                unsafe pixels.baseAddress.map { start in unsafe start + offset }
            }
            return unsafe jpeg.withUnsafeBufferPointer { bytes in
                unsafe tjDecompressToYUVPlanes(
                    codec.handle, bytes.baseAddress, UInt(bytes.count), &planes, Int32(width), &strides, Int32(height),
                    TJFLAG_LIMITSCANS)
            }
        }
        guard status != 0 else { return }
        guard codec.lastFailureIsWarning else { throw failure(.undecodable, "decode", header) }
        image.warning = codec.message
    }
}
