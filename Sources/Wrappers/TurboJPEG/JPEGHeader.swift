/// What a JPEG's header says, without decoding it.
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
