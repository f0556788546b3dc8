import CTurboJPEG

/// Makes JPEGs smaller: decodes at a reduced scale, crops if requested, and encodes again, without converting colors.
///
/// Owns a decoder, an encoder and the planes between them, which are reused. Not `Sendable`: use one per thread or actor. A damaged picture
/// is scaled as far as it can be decoded. Metadata is not copied.
public final class JPEGScaler {
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private var image = PlanarImage()

    /// - Parameter maximumPixelCount: Limit of width × height of the input picture.
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init(maximumPixelCount: Int = 100_000_000) throws(TurboJPEGError) {
        decoder = try JPEGDecoder(maximumPixelCount: maximumPixelCount)
        encoder = try JPEGEncoder()
    }

    /// Scales a picture, and crops the result to its middle.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG; trailing padding is allowed.
    ///   - scale: The divisor of the sides, rounding up.
    ///   - width: The maximum width of the result, pixels. The excess is cropped on both sides. nil keeps everything.
    ///   - height: The maximum height of the result, in the same way.
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

    /// Returns the ranges of the three planes of the middle. The first corner is on complete chroma samples.
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

/// The size at which a JPEG is decoded; smaller is cheaper.
public enum DecodeScale: Int, Sendable, CaseIterable {
    /// Every pixel.
    case full = 1
    /// Half of width and height.
    case half = 2
    /// A quarter of width and height.
    case quarter = 4
    /// An eighth of width and height: one pixel a block.
    case eighth = 8

    /// The scaled length of a side of `length` pixels, rounded up.
    public func applied(to length: Int) -> Int {
        length / rawValue + (length % rawValue == 0 ? 0 : 1)
    }
}

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

extension JPEGDecoder {
    /// Decodes to planes as the JPEG has them, without converting colors.
    ///
    /// - Parameters:
    ///   - jpeg: A complete JPEG; trailing padding is allowed.
    ///   - scale: Scaled decodes are cheaper.
    ///   - image: Receives the planes, and ``PlanarImage/warning`` if the data is damaged. Its storage is reused.
    /// - Throws: ``TurboJPEGError`` if no picture can be decoded; `image` is then empty.
    public func decodePlanes(
        _ jpeg: Span<UInt8>, scale: DecodeScale = .full, into image: inout PlanarImage
    ) throws(TurboJPEGError) {
        do {
            try decodePlanes(jpeg, try header(of: jpeg), scale, into: &image)
        } catch {
            image = PlanarImage()
            throw error
        }
    }

    private func decodePlanes(
        _ jpeg: Span<UInt8>, _ header: JPEGHeader, _ scale: DecodeScale, into image: inout PlanarImage
    ) throws(TurboJPEGError) {
        let (width, height) = (scale.applied(to: header.width), scale.applied(to: header.height))
        image.resize(width: width, height: height, subsampling: header.subsampling)
        var strides = image.geometry.strides.map { Int32(clamping: $0) }
        let offsets = image.offsets
        let lastRows = zip(offsets.dropFirst(), image.geometry.planeSizes).map { end, size in end - size.width..<end }
        image.warning = try unsafe decode(jpeg, header, into: &image.bytes, lastRows: lastRows) { (bytes, pixels) in
            var planes = unsafe offsets.dropLast().map { offset in
                unsafe pixels.baseAddress.map { start in unsafe start + offset }
            }
            return unsafe tjDecompressToYUVPlanes(
                codec.handle, bytes.baseAddress, UInt(bytes.count), &planes, Int32(width), &strides, Int32(height),
                TJFLAG_LIMITSCANS)
        }
    }
}

/// The content of a JPEG's header.
public struct JPEGHeader: Equatable, Sendable {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// Chroma subsampling.
    public let subsampling: ChromaSubsampling

    /// Width times height.
    public var pixelCount: Int { width * height }
}

/// A decoded brightness image whose storage is reused from one decode to the next.
public struct LumaImage: Equatable, Sendable {
    /// Width in pixels; also the distance between rows in bytes.
    public internal(set) var width = 0
    /// Height in pixels.
    public internal(set) var height = 0
    /// `width * height` luma samples, top row first, 0 black to 255 white.
    public internal(set) var bytes: [UInt8] = []
    /// The decoder's warning if the data was damaged but an image could be decoded.
    public internal(set) var warning: String?

    /// An empty image, to be filled by ``JPEGDecoder/decodeLuma(_:scale:into:)``.
    public init() {}

    mutating func resize(width: Int, height: Int) {
        self.width = width
        self.height = height
        let count = width * height
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
    }
}

/// A decoded picture as planes of luma and chroma, whose storage is reused from one decode to the next.
public struct PlanarImage: Sendable {
    /// Size, subsampling and row distances; tightly packed.
    public internal(set) var geometry = PlaneGeometry(width: 0, height: 0, subsampling: .gray)
    /// The planes Y, Cb, Cr one after another; only Y for ``ChromaSubsampling/gray``.
    public internal(set) var bytes: [UInt8] = []
    /// The decoder's warning if the data was damaged but a picture could be decoded.
    public internal(set) var warning: String?

    /// An empty picture, to be filled by ``JPEGDecoder/decodePlanes(_:scale:into:)``.
    public init() {}

    /// The start of each plane in ``bytes``, and the end of the last one.
    public var offsets: [Int] {
        geometry.planeSizes.reduce(into: [0]) { offsets, size in
            offsets.append((offsets.last ?? 0) + size.width * size.height)
        }
    }

    mutating func resize(width: Int, height: Int, subsampling: ChromaSubsampling) {
        geometry = PlaneGeometry(width: width, height: height, subsampling: subsampling)
        let count = offsets.last ?? 0
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
    }
}
