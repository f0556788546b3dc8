import CTurboJPEG

/// Turns and mirrors the pixels of JPEGs.
///
/// A picture whose sides are multiples of its blocks is turned without loss: its coefficients are rearranged, not decoded. Other pictures
/// are decoded, turned and encoded again, with all their pixels. (For 4:1:1, whose chroma JPEG cannot turn by 90°, the columns of an incomplete
/// block are cropped instead.) Metadata is not copied.
///
/// Owns a transformer, a decoder, an encoder and the planes between them, which are reused. Not `Sendable`: use one per thread or actor. A
/// damaged picture is turned as far as it can be decoded. The bytes are untrusted. Calls block for the time of the work.
@safe
public final class JPEGTurner {
    /// Encoder quality of pictures that cannot be turned without loss.
    public static let quality = 90

    private let handle: tjhandle
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private let output = CodecBuffer()
    private var image = PlanarImage()

    /// - Parameter maximumPixelCount: Limit of width × height.
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init(maximumPixelCount: Int = 100_000_000) throws(TurboJPEGError) {
        decoder = try JPEGDecoder(maximumPixelCount: maximumPixelCount)
        encoder = try JPEGEncoder()
        guard let handle = unsafe tjInitTransform() else {
            throw TurboJPEGError(.outOfResources, operation: "transformer start", cause: unsafe libraryMessage(nil))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe tjDestroy(handle) }

    /// Turns a picture.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG; trailing padding is allowed.
    ///   - output: Replaced by the result; its capacity is reused.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func turn(
        _ jpeg: Span<UInt8>, _ transform: PictureTransform, into output: inout [UInt8]
    ) throws(TurboJPEGError) {
        let header = try decoder.header(of: jpeg)
        if transform.isLossless(for: header) {
            return try rearrange(jpeg, header, transform, TJXOPT_PERFECT, &output)
        }
        guard let subsampling = header.subsampling.turned(transform) else {
            return try rearrange(jpeg, header, transform, TJXOPT_TRIM, &output)
        }
        try decoder.decodePlanes(jpeg, into: &image)
        let geometry = PlaneGeometry(
            width: transform.exchangesSides ? header.height : header.width,
            height: transform.exchangesSides ? header.width : header.height, subsampling: subsampling)
        let luma = turnedPlane(0, transform, geometry)
        let isGray = subsampling == .gray
        let cb = isGray ? [] : turnedPlane(1, transform, geometry)
        let cr = isGray ? [] : turnedPlane(2, transform, geometry)
        try encoder.encode(
            geometry, y: luma.span, cb: cb.span, cr: cr.span, quality: Self.quality, into: &output)
    }

    /// Rearranges the coefficients.
    private func rearrange(
        _ jpeg: Span<UInt8>, _ header: JPEGHeader, _ transform: PictureTransform, _ option: Int32,
        _ result: inout [UInt8]
    ) throws(TurboJPEGError) {
        let (width, height) = (Int32(header.width), Int32(header.height))
        // A turned image of other subsampling may need more than the image itself.
        let bound = max(
            tjBufSize(width, height, Int32(TJSAMP_444.rawValue)), tjBufSize(height, width, Int32(TJSAMP_444.rawValue)))
        let subject = "\(header.width)x\(header.height)"
        try output.reserve(bound, for: subject)
        var request = unsafe tjtransform()
        unsafe request.op = transform.operation
        unsafe request.options = option | TJXOPT_COPYNONE
        // The buffer stays ours: with NOREALLOC the library never replaces it.
        var (buffer, size) = unsafe (output.start, output.capacity)
        let status = unsafe jpeg.withUnsafeBufferPointer { bytes in
            unsafe tjTransform(
                handle, bytes.baseAddress, UInt(bytes.count), 1, &buffer, &size, &request,
                TJFLAG_NOREALLOC | TJFLAG_LIMITSCANS)
        }
        // A damaged picture is a warning.
        let isDone = unsafe status == 0 || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
        guard isDone, let buffer = unsafe buffer, size > 0 else {
            throw TurboJPEGError(
                .undecodable, operation: "turn", subject: subject, cause: unsafe libraryMessage(handle))
        }
        result.removeAll(keepingCapacity: true)
        unsafe result.append(contentsOf: UnsafeBufferPointer(start: buffer, count: Int(size)))
    }

    /// Returns a plane of the decoded picture, turned and packed.
    private func turnedPlane(_ plane: Int, _ transform: PictureTransform, _ geometry: PlaneGeometry) -> [UInt8] {
        let source = image.geometry
        let (width, height) = (source.sampleWidth(plane), source.sampleHeight(plane))
        let stride = source.strides[plane]
        let (start, across, down) = transform.steps(width: width, height: height, stride: stride)
        let (size, offset) = (geometry.planeSizes[plane], image.offsets[plane])
        let count = size.width * size.height
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
            unsafe image.bytes.withUnsafeBufferPointer { bytes in
                guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
                unsafe caprig_turn_plane(
                    source + offset + start, across, down, geometry.sampleWidth(plane), geometry.sampleHeight(plane),
                    target, size.width, size.height)
                written = count
            }
        }
    }
}

/// A rotation by a multiple of 90°, mirroring, or both.
public enum PictureTransform: Sendable, CaseIterable {
    /// Exchanges left and right.
    case flipHorizontal
    /// Exchanges top and bottom.
    case flipVertical
    /// Rotates clockwise.
    case rotate90, rotate180, rotate270
    /// Exchanges rows and columns: rotates clockwise by 90°, then exchanges left and right.
    case transpose
    /// Rotates clockwise by 270°, then exchanges left and right.
    case transverse

    /// Whether width becomes height.
    public var exchangesSides: Bool {
        switch self {
        case .flipHorizontal, .flipVertical, .rotate180: false
        case .rotate90, .rotate270, .transpose, .transverse: true
        }
    }

    /// Whether the library can rearrange the blocks of an image so that its last blocks, which may be incomplete, stay last.
    func isLossless(for header: JPEGHeader) -> Bool {
        let hasWholeColumns = header.width % (8 * header.subsampling.horizontalFactor) == 0
        let hasWholeRows = header.height % (8 * header.subsampling.verticalFactor) == 0
        switch self {
        case .flipHorizontal, .rotate270: return hasWholeColumns
        case .flipVertical, .rotate90: return hasWholeRows
        case .rotate180, .transverse: return hasWholeColumns && hasWholeRows
        case .transpose: return true
        }
    }

    fileprivate var operation: Int32 {
        let operation: TJXOP =
            switch self {
            case .flipHorizontal: TJXOP_HFLIP
            case .flipVertical: TJXOP_VFLIP
            case .rotate90: TJXOP_ROT90
            case .rotate180: TJXOP_ROT180
            case .rotate270: TJXOP_ROT270
            case .transpose: TJXOP_TRANSPOSE
            case .transverse: TJXOP_TRANSVERSE
            }
        return Int32(operation.rawValue)
    }

    /// Returns where the first sample of a turned plane is in the plane, and the distance to the next column and to the next row.
    fileprivate func steps(width: Int, height: Int, stride: Int) -> (start: Int, across: Int, down: Int) {
        let (right, bottom) = (width - 1, (height - 1) * stride)
        return switch self {
        case .flipHorizontal: (right, -1, stride)
        case .flipVertical: (bottom, 1, -stride)
        case .rotate90: (bottom, -stride, 1)
        case .rotate180: (bottom + right, -1, -stride)
        case .rotate270: (right, stride, -1)
        case .transpose: (0, stride, 1)
        case .transverse: (bottom + right, -stride, -1)
        }
    }
}

extension ChromaSubsampling {
    /// Returns the subsampling of a turned picture; nil if JPEG codecs have none.
    fileprivate func turned(_ transform: PictureTransform) -> ChromaSubsampling? {
        guard transform.exchangesSides else { return self }
        return switch self {
        case .yuv444, .yuv420, .gray: self
        case .yuv422: .yuv440
        case .yuv440: .yuv422
        case .yuv411: nil
        }
    }
}

extension PlaneGeometry {
    /// Samples of a plane's row that belong to the picture.
    fileprivate func sampleWidth(_ plane: Int) -> Int { plane == 0 ? width : planeSizes[plane].width }

    /// Rows of a plane that belong to the picture.
    fileprivate func sampleHeight(_ plane: Int) -> Int { plane == 0 ? height : planeSizes[plane].height }
}
