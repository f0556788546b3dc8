import CTurboJPEG

/// Reads headers of JPEGs, decodes their luma, and checks their data.
///
/// Not `Sendable`: use one per thread or actor. Input is untrusted: sizes and numbers of scans are compared with the limits before memory
/// is allocated. No image influences the next.
public final class JPEGDecoder {
    /// Images with more pixels are refused before they are decoded.
    public let maximumPixelCount: Int
    /// Images with more pixels and several scans are refused too, since the library keeps all their coefficients: up to eight bytes per
    /// pixel.
    public let maximumScannedPixelCount: Int
    /// Images with more scans are refused. Each scan takes the time of all pixels, but only a few bytes of the file.
    public static let maximumScanCount = 64
    var codec: Decompressor
    private var scratch = LumaImage()

    /// Creates a decompressor.
    ///
    /// - Parameters:
    ///   - maximumPixelCount: Limit of width × height of the full image, whatever the scale of the decode.
    ///   - maximumScannedPixelCount: The same limit for an image in several scans, such as a progressive one.
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
        // A decompressor keeps the Huffman tables of the previous image, and would use them for a frame without tables. It also stays in
        // the state of a failed header. Creating one takes microseconds.
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

    /// Decodes only the luma.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG; trailing padding is allowed.
    ///   - scale: Scaled decodes are cheaper.
    ///   - image: Receives the pixels, and ``LumaImage/warning`` if the data is damaged. Its storage is reused.
    /// - Throws: ``TurboJPEGError`` if no image can be decoded; `image` is then empty.
    public func decodeLuma(
        _ jpeg: Span<UInt8>, scale: DecodeScale = .full, into image: inout LumaImage
    ) throws(TurboJPEGError) {
        do {
            try decodeLuma(jpeg, try header(of: jpeg), scale, into: &image)
        } catch {
            image = LumaImage()
            throw error
        }
    }

    /// - Parameter isComplete: Whether an image is refused that was not decoded to its end. Without that, its warning is what is wanted.
    private func decodeLuma(
        _ jpeg: Span<UInt8>, _ header: JPEGHeader, _ scale: DecodeScale, into image: inout LumaImage,
        isComplete: Bool = true
    ) throws(TurboJPEGError) {
        image.resize(width: scale.applied(to: header.width), height: scale.applied(to: header.height))
        let (width, height) = (Int32(image.width), Int32(image.height))
        let lastRow = image.bytes.count - image.width..<image.bytes.count
        image.warning = try unsafe decode(
            jpeg, header, into: &image.bytes, lastRows: isComplete ? [lastRow] : []
        ) { (bytes, pixels) in
            unsafe tjDecompress2(
                codec.handle, bytes.baseAddress, UInt(bytes.count), pixels.baseAddress, width, width, height,
                Int32(TJPF_GRAY.rawValue), TJFLAG_LIMITSCANS)
        }
    }

    /// Decodes an image, and again if there is a warning, to see whether the library has decoded it to its end.
    ///
    /// The library reports an error that follows a warning as a warning. An error ends the decode, and rows are written from the top. So before the
    /// second decode the last rows get other bytes: where these are still there after it, the rows are not those of the image.
    /// - Parameters:
    ///   - header: That of the image, which the decoder has just read.
    ///   - lastRows: The last row of each plane in `pixels`.
    /// - Returns: The decoder's warning if the data is damaged.
    /// - Throws: ``TurboJPEGError`` if the image is not decoded to its end; `pixels` are then unspecified.
    func decode(
        _ jpeg: Span<UInt8>, _ header: JPEGHeader, into pixels: inout [UInt8], lastRows: [Range<Int>],
        _ attempt: Attempt
    ) throws(TurboJPEGError) -> String? {
        guard unsafe status(jpeg, &pixels, attempt) != 0 else { return nil }
        guard codec.lastFailureIsWarning else { throw failure(.undecodable, "decode", header) }
        let warning = codec.message
        for index in lastRows.joined() { pixels[index] = ~pixels[index] }
        let others = lastRows.map { Array(pixels[$0]) }
        guard !others.isEmpty else { return warning }
        _ = try self.header(of: jpeg)
        guard unsafe status(jpeg, &pixels, attempt) != 0 else { return nil }
        for (row, other) in zip(lastRows, others) where pixels[row].elementsEqual(other) {
            throw failure(.undecodable, "decode", header)
        }
        return warning
    }

    /// Has the library decode a JPEG, and returns its status: 0 without failures.
    typealias Attempt = (_ jpeg: UnsafeBufferPointer<UInt8>, _ pixels: UnsafeMutableBufferPointer<UInt8>) -> Int32

    private func status(_ jpeg: Span<UInt8>, _ pixels: inout [UInt8], _ attempt: Attempt) -> Int32 {
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            unsafe jpeg.withUnsafeBufferPointer { bytes in unsafe attempt(bytes, pixels) }
        }
    }

    /// Checks the entropy-coded data by decoding at an eighth of the size.
    ///
    /// Finds truncation, gaps and splices. A few flipped bits may decode to plausible pixels and remain undetected.
    ///
    /// - Returns: The header of the undamaged image.
    /// - Throws: ``TurboJPEGError`` with `damaged` if the decoder reports a warning, otherwise as ``decodeLuma(_:scale:into:)``. An error after a
    ///   warning is `damaged` too.
    @discardableResult
    public func verify(_ jpeg: Span<UInt8>) throws(TurboJPEGError) -> JPEGHeader {
        let header = try header(of: jpeg)
        try decodeLuma(jpeg, header, .eighth, into: &scratch, isComplete: false)
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

/// The number of scans of a JPEG, found by following its markers as libjpeg does, which skips bytes outside of markers and their data.
///
/// libjpeg decodes an image in one scan row by row. For an image in several scans it keeps every coefficient, two bytes each, and processes
/// all of them again with each scan, however few bytes the file has. The cost is the length of the header for an image in one scan,
/// otherwise at most that of the file.
struct ScanOutline {
    /// Whether the coefficients are kept.
    private(set) var hasSeveral = false
    /// The number of scans of an image that has several, counted only up to the limit.
    private(set) var count = 0

    private static let (endOfImage, startOfScan): (UInt8, UInt8) = (0xD9, 0xDA)
    private static let progressiveFrames: Set<UInt8> = [0xC2, 0xCA]
    private static let sequentialFrames: Set<UInt8> = [0xC0, 0xC1, 0xC9]

    /// - Parameters:
    ///   - jpeg: Untrusted; anything other than a JPEG has no scans.
    ///   - limit: The number at which counting stops.
    init(of jpeg: Span<UInt8>, limit: Int) {
        var components: UInt8 = 0
        // After the start of the image, which libjpeg requires as the first two bytes.
        var offset = 2
        while let marker = Self.nextMarker(in: jpeg, from: &offset), marker != Self.endOfImage {
            // Markers without a length may occur in between, above all restarts.
            guard marker >= 0xC0, !(0xD0...0xD8).contains(marker) else { continue }
            guard offset + 2 < jpeg.count else { return }
            if Self.progressiveFrames.contains(marker) { hasSeveral = true }
            if Self.sequentialFrames.contains(marker), offset + 7 < jpeg.count { components = jpeg[offset + 7] }
            if marker == Self.startOfScan {
                hasSeveral = hasSeveral || jpeg[offset + 2] < components
                count += 1
                guard hasSeveral, count < limit else { return }
            }
            offset += max(Int(jpeg[offset]) << 8 | Int(jpeg[offset + 1]), 2)
        }
    }

    /// Returns the second byte of the next marker, and sets the offset after it.
    private static func nextMarker(in jpeg: Span<UInt8>, from offset: inout Int) -> UInt8? {
        while offset + 1 < jpeg.count {
            let (byte, next) = (jpeg[offset], jpeg[offset + 1])
            offset += 1
            // 0xFF followed by zero is data, and any number of 0xFF bytes may precede a marker's second byte.
            guard byte == 0xFF, next != 0, next != 0xFF else { continue }
            offset += 1
            return next
        }
        return nil
    }
}
