/// What a capture's raw file will be.
public struct ResolvedRawPhoto: Hashable, Sendable {
    /// The samples in the file: one for each pixel.
    public var dimensions: PixelSize
    /// Significant bits of a sample.
    public var bits: Int
    /// Size of the JPEG inside the file, for programs that do not develop it.
    public var embeddedThumbnail: PixelSize

    public init(dimensions: PixelSize, bits: Int, embeddedThumbnail: PixelSize) {
        self.dimensions = dimensions
        self.bits = bits
        self.embeddedThumbnail = embeddedThumbnail
    }
}
