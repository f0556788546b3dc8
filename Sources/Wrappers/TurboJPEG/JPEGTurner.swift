import CTurboJPEG

/// Turns and mirrors the pixels of JPEGs.
///
/// A picture is decoded to planes, which are turned and encoded again, with all their pixels. TurboJPEG's transformer, which rearranges
/// coefficients, is not used: it keeps the coefficients of the whole picture twice, it trusts that its output fits a buffer of a size that it
/// computes itself, and it takes as long. Metadata is not copied.
///
/// Owns a decoder and an encoder. Not `Sendable`: use one per thread or actor. A damaged picture is turned as far as it can be decoded. The
/// bytes are untrusted. Calls block for the time of the work.
public final class JPEGTurner {
    /// Encoder quality of the result.
    public static let quality = 90

    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder

    /// - Parameter maximumPixelCount: Limit of width × height.
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init(maximumPixelCount: Int = 100_000_000) throws(TurboJPEGError) {
        decoder = try JPEGDecoder(maximumPixelCount: maximumPixelCount)
        encoder = try JPEGEncoder()
    }

    /// Turns a picture.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG; trailing padding is allowed.
    ///   - output: Replaced by the result; its capacity is reused.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func turn(
        _ jpeg: Span<UInt8>, _ transform: PictureTransform, into output: inout [UInt8]
    ) throws(TurboJPEGError) {
        // Not kept: planes of a large picture take much memory, and pictures are turned now and then.
        var image = PlanarImage()
        try decoder.decodePlanes(jpeg, into: &image)
        let source = image.geometry
        let (width, height) = transform.turned(source.width, source.height)
        let geometry = PlaneGeometry(
            width: width, height: height, subsampling: source.subsampling.turned(transform))
        let isGray = geometry.subsampling == .gray
        let luma = image.turnedPlane(0, transform, as: geometry)
        let cb = isGray ? [] : image.turnedPlane(1, transform, as: geometry)
        let cr = isGray ? [] : image.turnedPlane(2, transform, as: geometry)
        try encoder.encode(
            geometry, y: luma.span, cb: cb.span, cr: cr.span, quality: Self.quality, into: &output)
    }
}

extension PlanarImage {
    /// Returns a plane, turned and packed as `geometry` has it.
    fileprivate func turnedPlane(_ plane: Int, _ transform: PictureTransform, as geometry: PlaneGeometry) -> [UInt8] {
        let (width, height) = (self.geometry.sampleWidth(plane), self.geometry.sampleHeight(plane))
        let (start, across, down) = transform.steps(width: width, height: height, stride: self.geometry.strides[plane])
        let (turnedWidth, turnedHeight) = transform.turned(width, height)
        let (size, offset) = (geometry.planeSizes[plane], offsets[plane])
        // Chroma of a quarter of the columns becomes that of a quarter of the rows, which codecs do not have.
        let repeats = plane > 0 && self.geometry.subsampling == .yuv411 && transform.exchangesSides ? 4 : 1
        let rows = (size.height + repeats - 1) / repeats
        let turned = unsafe [UInt8](unsafeUninitializedCapacity: size.width * rows) { target, written in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
                unsafe caprig_turn_plane(
                    source + offset + start, across, down, min(turnedWidth, size.width), min(turnedHeight, rows),
                    target, size.width, rows)
                written = size.width * rows
            }
        }
        guard repeats > 1 else { return turned }
        return (0..<size.height).flatMap { turned[($0 / repeats * size.width)..<(($0 / repeats + 1) * size.width)] }
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

    /// Returns the sides of a turned picture or plane.
    fileprivate func turned(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
        exchangesSides ? (height, width) : (width, height)
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
    /// Returns the subsampling of a turned picture.
    fileprivate func turned(_ transform: PictureTransform) -> ChromaSubsampling {
        guard transform.exchangesSides else { return self }
        return switch self {
        case .yuv444, .yuv420, .gray: self
        case .yuv422: .yuv440
        case .yuv440: .yuv422
        case .yuv411: .yuv444
        }
    }
}

extension PlaneGeometry {
    /// Samples of a plane's row that belong to the picture.
    fileprivate func sampleWidth(_ plane: Int) -> Int { plane == 0 ? width : planeSizes[plane].width }

    /// Rows of a plane that belong to the picture.
    fileprivate func sampleHeight(_ plane: Int) -> Int { plane == 0 ? height : planeSizes[plane].height }
}
