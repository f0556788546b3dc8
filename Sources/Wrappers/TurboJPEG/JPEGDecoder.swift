import CTurboJPEG

/// Reads headers of JPEGs, decodes their brightness, and checks their data.
///
/// It is not `Sendable`: use one per thread or actor. Input is untrusted: sizes and numbers of scans are checked against
/// the limits before memory is taken. No image influences the next.
public final class JPEGDecoder {
    /// Images of more pixels than this are refused before they are decoded.
    public let maximumPixelCount: Int
    /// Images of more pixels than this that come in several scans are refused too, since the library keeps all their
    /// coefficients: up to eight bytes for each pixel.
    public let maximumScannedPixelCount: Int
    /// Images in more scans are refused: each takes the time of all pixels, and costs but a few bytes.
    public static let maximumScanCount = 64
    var codec: Decompressor
    private var scratch = LumaImage()

    /// Creates a decompressor.
    ///
    /// - Parameters:
    ///   - maximumPixelCount: Limit of width × height of the full image, whatever the scale of the decode.
    ///   - maximumScannedPixelCount: The same of an image in several scans, such as a progressive one.
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init(
        maximumPixelCount: Int = 100_000_000, maximumScannedPixelCount: Int = 25_000_000
    ) throws(TurboJPEGError) {
        codec = try Decompressor()
        self.maximumPixelCount = maximumPixelCount
        self.maximumScannedPixelCount = maximumScannedPixelCount
    }

    /// Reads size and subsampling, and checks them and the number of scans.
    ///
    /// - Throws: ``TurboJPEGError``: `undecodable`, `invalidGeometry`, `tooManyPixels` or `tooManyScans`.
    public func header(of jpeg: Span<UInt8>) throws(TurboJPEGError) -> JPEGHeader {
        // A decompressor keeps the Huffman tables of the image before, which a frame without its own would then be
        // decoded with, and stays stuck in a header that failed; making one costs microseconds.
        codec = try Decompressor()
        var (width, height, subsampling, colorspace) = (Int32(0), Int32(0), Int32(-1), Int32(-1))
        let status = unsafe jpeg.withUnsafeBufferPointer { bytes in
            unsafe tjDecompressHeader3(
                codec.handle, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
        }
        guard status == 0 || codec.lastFailureIsWarning else { throw failure(.undecodable, "header") }
        guard let subsampling = ChromaSubsampling(code: subsampling) else {
            throw TurboJPEGError(.undecodable, operation: "header", cause: "unknown chroma subsampling")
        }
        let header = JPEGHeader(width: Int(width), height: Int(height), subsampling: subsampling)
        try check(header)
        try check(ScanOutline(of: jpeg, limit: Self.maximumScanCount + 1), of: header)
        return header
    }

    /// Decodes the brightness only.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG; trailing padding is allowed.
    ///   - scale: Scaled decodes are cheaper.
    ///   - image: Receives the pixels, and ``LumaImage/warning`` when the data is damaged; its storage is reused.
    /// - Throws: ``TurboJPEGError`` when no image can be made; `image` is then unspecified.
    public func decodeLuma(
        _ jpeg: Span<UInt8>, scale: DecodeScale = .full, into image: inout LumaImage
    ) throws(TurboJPEGError) {
        let header = try header(of: jpeg)
        image.resize(width: scale.applied(to: header.width), height: scale.applied(to: header.height))
        image.warning = nil
        let (width, height) = (Int32(image.width), Int32(image.height))
        let status = unsafe image.bytes.withUnsafeMutableBufferPointer { pixels in
            unsafe jpeg.withUnsafeBufferPointer { bytes in
                unsafe tjDecompress2(
                    codec.handle, bytes.baseAddress, UInt(bytes.count), pixels.baseAddress, width, width, height,
                    Int32(TJPF_GRAY.rawValue), TJFLAG_LIMITSCANS)
            }
        }
        guard status != 0 else { return }
        guard codec.lastFailureIsWarning else { throw failure(.undecodable, "decode", header) }
        image.warning = codec.message
    }

    /// Checks the entropy-coded data by decoding at an eighth of the size.
    ///
    /// Finds truncation, holes and splices; a few flipped bits may decode to plausible pixels and stay unseen.
    ///
    /// - Returns: The header of the sound image.
    /// - Throws: ``TurboJPEGError`` with `damaged` when the decoder warned, else as ``decodeLuma(_:scale:into:)``.
    @discardableResult
    public func verify(_ jpeg: Span<UInt8>) throws(TurboJPEGError) -> JPEGHeader {
        let header = try header(of: jpeg)
        try decodeLuma(jpeg, scale: .eighth, into: &scratch)
        if let warning = scratch.warning {
            throw TurboJPEGError(
                .damaged, operation: "check", subject: "\(header.width)x\(header.height)", cause: warning)
        }
        return header
    }

    private func check(_ header: JPEGHeader) throws(TurboJPEGError) {
        let subject = "\(header.width)x\(header.height)"
        guard PlaneGeometry.isJPEGSize(header.width, header.height) else {
            throw TurboJPEGError(
                .invalidGeometry, operation: "header", subject: subject,
                cause: "sides must be 1...\(PlaneGeometry.largestSide)")
        }
        guard header.pixelCount <= maximumPixelCount else {
            throw TurboJPEGError(
                .tooManyPixels, operation: "header", subject: subject,
                cause: "more than the limit of \(maximumPixelCount) pixels")
        }
    }

    private func check(_ scans: ScanOutline, of header: JPEGHeader) throws(TurboJPEGError) {
        guard scans.hasSeveral else { return }
        let subject = "\(header.width)x\(header.height)"
        guard header.pixelCount <= maximumScannedPixelCount else {
            throw TurboJPEGError(
                .tooManyPixels, operation: "header", subject: subject,
                cause:
                    "it comes in several scans, of which more than \(maximumScannedPixelCount) pixels take too much memory"
            )
        }
        guard scans.count <= Self.maximumScanCount else {
            throw TurboJPEGError(
                .tooManyScans, operation: "header", subject: subject,
                cause: "more than the limit of \(Self.maximumScanCount) scans")
        }
    }

    func failure(
        _ code: TurboJPEGError.Code, _ operation: String, _ header: JPEGHeader? = nil
    ) -> TurboJPEGError {
        let subject = header.map { "\($0.width)x\($0.height)" } ?? ""
        return TurboJPEGError(code, operation: operation, subject: subject, cause: codec.message)
    }
}
