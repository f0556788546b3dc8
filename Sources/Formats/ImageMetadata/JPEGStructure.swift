/// The outline of a JPEG's bytes: its header segments, its frame's size, where its scan begins and the image ends.
///
/// Made from untrusted bytes without reading the entropy-coded data, so its cost is that of the header and of the padding
/// after the image. It holds offsets, not bytes, and is valid for the bytes it was made from.
public struct JPEGStructure: Hashable, Sendable {
    /// Segments from the start-of-image marker to the first scan's header, that included.
    public let segments: [JPEGSegment]
    /// Size and components.
    public let frame: JPEGFrame
    /// Minimum coded units between restart markers; 0 when there are none.
    public let restartInterval: Int
    /// Whether the header defines no Huffman table, as many UVC cameras leave the standard ones out.
    public let lacksHuffmanTables: Bool
    /// Offset of the first scan's marker.
    public let scanOffset: Int
    /// Offset of the first byte of entropy-coded data.
    public let entropyOffset: Int
    /// Offset after the end-of-image marker; what follows is zero padding.
    public let endOffset: Int

    /// Outlines a JPEG.
    ///
    /// - Parameter bytes: A whole image, zero padding after it allowed.
    /// - Throws: ``JPEGProblem`` with the first defect found.
    public init(parsing bytes: Span<UInt8>) throws(JPEGProblem) {
        var header = JPEGHeaderParser()
        try header.parse(bytes)
        guard let frame = header.frame, let scan = header.segments.last else { throw .noFrameHeader }
        try header.checkTables(of: frame)
        segments = header.segments
        self.frame = frame
        restartInterval = header.restartInterval
        lacksHuffmanTables = header.huffmanTables.isEmpty
        scanOffset = scan.range.lowerBound
        entropyOffset = scan.range.upperBound
        endOffset = try Self.endOfImage(in: bytes, after: entropyOffset)
    }

    /// Outlines a JPEG held in an array.
    public init(parsing bytes: [UInt8]) throws(JPEGProblem) {
        try self.init(parsing: bytes.span)
    }

    /// Entropy-coded data never holds `FFD9`, so the marker found from the back is one the camera wrote.
    private static func endOfImage(in bytes: Span<UInt8>, after start: Int) throws(JPEGProblem) -> Int {
        var end = bytes.count
        while end > start && bytes[end - 1] == 0 { end -= 1 }
        guard end - start > 2, bytes[end - 2] == 0xFF, bytes[end - 1] == JPEGMarker.endOfImage else {
            throw .noEndOfImage
        }
        return end
    }
}
