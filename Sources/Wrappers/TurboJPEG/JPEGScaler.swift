/// Makes JPEGs smaller: a scaled decode, a cut where one is asked for, and a new encoding, without converting colours.
///
/// Owns a decoder, an encoder and the planes between them, which are kept from picture to picture. It is not `Sendable`:
/// use one per thread or actor. A damaged picture is scaled as far as it can be decoded. Metadata is not carried over.
public final class JPEGScaler {
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private var image = PlanarImage()

    /// - Parameter maximumPixelCount: Limit of width × height of the picture that comes in.
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init(maximumPixelCount: Int = 100_000_000) throws(TurboJPEGError) {
        decoder = try JPEGDecoder(maximumPixelCount: maximumPixelCount)
        encoder = try JPEGEncoder()
    }

    /// Scales a picture, and cuts the middle out of the result.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG; trailing padding is allowed.
    ///   - scale: By which sides are divided, rounding up.
    ///   - width: Largest width of the result, pixels; what is more is cut off on both sides. nil keeps all.
    ///   - height: Largest height of the result, in the same way.
    ///   - quality: 1...100.
    ///   - output: Replaced by the result; its capacity is reused.
    /// - Returns: The size of the result, pixels.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func scale(
        _ jpeg: Span<UInt8>, by scale: DecodeScale, width: Int? = nil, height: Int? = nil, quality: Int,
        into output: inout [UInt8]
    ) throws(TurboJPEGError) -> (width: Int, height: Int) {
        try decoder.decodePlanes(jpeg, scale: scale, into: &image)
        let whole = image.geometry
        let cut = PlaneGeometry(
            width: min(whole.width, max(width ?? .max, 1)), height: min(whole.height, max(height ?? .max, 1)),
            subsampling: whole.subsampling, strides: whole.strides)
        let planes = ranges(of: cut)
        let bytes = image.bytes
        let all = bytes.span
        try encoder.encode(
            cut, y: all.extracting(planes[0]), cb: all.extracting(planes[1]), cr: all.extracting(planes[2]),
            quality: quality, into: &output)
        return (cut.width, cut.height)
    }

    /// Where the three planes of the middle begin and end; the first corner lies on whole chroma samples.
    private func ranges(of cut: PlaneGeometry) -> [Range<Int>] {
        let (whole, offsets) = (image.geometry, image.offsets)
        let (horizontal, vertical) = (whole.subsampling.horizontalFactor, whole.subsampling.verticalFactor)
        let left = (whole.width - cut.width) / 2 / horizontal * horizontal
        let top = (whole.height - cut.height) / 2 / vertical * vertical
        return (0..<3).map { plane in
            guard plane < whole.strides.count else { return 0..<0 }
            let (x, y) = plane == 0 ? (left, top) : (left / horizontal, top / vertical)
            return (offsets[plane] + y * whole.strides[plane] + x)..<offsets[plane + 1]
        }
    }
}
