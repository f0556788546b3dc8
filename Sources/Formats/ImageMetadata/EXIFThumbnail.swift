/// A small JPEG inside a still's Exif block.
public struct EXIFThumbnail: Hashable, Sendable {
    /// A whole JPEG without application data, as the standard wants it.
    public let jpeg: [UInt8]

    /// Bytes of a thumbnail with which the Exif block still fits its segment: 65533 less ample room for what else it says.
    public static let largestByteCount = 60_000

    /// - Parameter jpeg: A whole JPEG; its application data goes.
    /// - Throws: ``JPEGProblem``: it is malformed, or larger than ``largestByteCount``.
    public init(_ jpeg: [UInt8]) throws(JPEGProblem) {
        let bare = try JPEGRewriter.withoutApplicationData(jpeg.span)
        guard bare.count <= Self.largestByteCount else { throw .metadataTooLarge(byteCount: bare.count) }
        self.jpeg = bare
    }
}
