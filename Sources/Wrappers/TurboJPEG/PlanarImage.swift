/// A decoded picture as planes of luma and chroma, whose storage is reused from one decode to the next.
public struct PlanarImage: Sendable {
    /// Size, subsampling and row distances; tightly packed.
    public internal(set) var geometry = PlaneGeometry(width: 0, height: 0, subsampling: .gray)
    /// The planes Y, Cb, Cr one after another; only Y for ``ChromaSubsampling/gray``.
    public internal(set) var bytes: [UInt8] = []
    /// What the decoder complained about when the data was damaged but a picture could be made.
    public internal(set) var warning: String?

    /// An empty picture, to be filled by ``JPEGDecoder/decodePlanes(_:scale:into:)``.
    public init() {}

    /// Where each plane begins in ``bytes``, and where the last one ends.
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
