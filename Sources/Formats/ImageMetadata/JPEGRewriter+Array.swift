/// The same calls for frames held in arrays.
extension JPEGRewriter {
    /// A still's bytes in one array; see ``still(from:exif:)``.
    public static func stillBytes(from frame: [UInt8], exif: EXIFDescription) throws(JPEGProblem) -> [UInt8] {
        try stillBytes(from: frame.span, exif: exif)
    }

    /// The bytes from the first scan's header to the end-of-image marker; see ``pixelBytes(of:)-(Span<UInt8>)``.
    public static func pixelBytes(of image: [UInt8]) throws(JPEGProblem) -> [UInt8] {
        try pixelBytes(of: image.span)
    }

    /// The image with the standard Huffman tables where it has none; see ``completed(_:)-(Span<UInt8>)``. An image that
    /// is complete already is not copied.
    public static func completed(_ image: [UInt8]) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        return structure.lacksHuffmanTables || structure.endOffset < image.count ? try completed(image.span) : image
    }
}
