/// The structure of a JPEG, found by walking through it once: its header segments, its frame's size, where its picture ends,
/// what follows it, and whether its entropy-coded data is whole.
///
/// Parsed from untrusted bytes without decoding, so that it costs less than a nanosecond per byte. Only a picture
/// without an end marker is decoded as far as counting its units needs. It has offsets instead of bytes, and is valid for the bytes from
/// which it was parsed.
public struct JPEGStructure: Hashable, Sendable {
    /// Segments from the start-of-image marker to the first scan's header, inclusive.
    public let segments: [JPEGSegment]
    /// Size and components.
    public let frame: JPEGFrame
    /// Minimum coded units between restart markers; 0 if there are none.
    public let restartInterval: Int
    /// Whether the header defines no Huffman table. Many UVC cameras omit the standard ones.
    public let lacksHuffmanTables: Bool
    /// Offset of the first scan's marker.
    public let scanOffset: Int
    /// Offset of the first byte of entropy-coded data.
    public let entropyOffset: Int
    /// Offset after the picture: after the first end-of-image marker that is not part of a segment, or after the last coded unit of a
    /// picture that has no such marker.
    public let endOffset: Int
    /// Whether the picture has an end-of-image marker.
    public let hasEndMarker: Bool
    /// Bytes after the picture: padding, data of the camera's maker, another image.
    public let trailingByteCount: Int
    /// What is wrong with the markers in the entropy-coded data: lost restart intervals, or a splice of two frames. nil if it
    /// is whole as far as markers tell; they cannot tell changed bits. Bytes before a restart marker that belong to no unit are normal.
    public let damage: JPEGProblem?
    /// The number of restart markers in the last scan.
    public let restartCount: Int

    /// Parses a JPEG.
    ///
    /// - Parameters:
    ///   - bytes: Begin with the image. Anything may follow it.
    ///   - isContinued: Whether further bytes exist. A picture whose end is not in `bytes` is then truncated, without a look at
    ///     what there is of it.
    /// - Throws: ``JPEGProblem`` with the first defect because of which there is no picture. ``damage`` is no such defect.
    public init(parsing bytes: Span<UInt8>, isContinued: Bool = false) throws(JPEGProblem) {
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
        let walk = JPEGScanWalk(header, frame, from: entropyOffset, in: bytes)
        restartCount = walk.restartCount
        if case .endMarker(let offset) = walk.end {
            endOffset = offset + 2
            hasEndMarker = true
            damage = walk.damage
        } else {
            guard !isContinued || walk.end != .endOfBytes else { throw .truncated(byteCount: bytes.count) }
            endOffset = try walk.endOfUnits(header, frame, in: bytes)
            hasEndMarker = false
            damage = nil
        }
        trailingByteCount = bytes.count - endOffset
    }

    /// Parses a JPEG in an array; see ``init(parsing:isContinued:)-(Span<UInt8>,_)``.
    public init(parsing bytes: [UInt8], isContinued: Bool = false) throws(JPEGProblem) {
        try self.init(parsing: bytes.span, isContinued: isContinued)
    }

    /// Whether the image is complete for any reader: all tables, an end marker, and nothing after it.
    public var isComplete: Bool { !lacksHuffmanTables && hasEndMarker && trailingByteCount == 0 }

    /// Returns the image with the standard Huffman tables if it has none, with an end marker, and without what follows it. Other
    /// bytes are unchanged.
    /// - Parameter bytes: The bytes from which this structure was parsed.
    /// - Throws: ``JPEGProblem/truncated(byteCount:)`` for fewer bytes.
    public func completed(_ bytes: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        var complete = JPEGStill(frame: frame)
        complete.keep(0..<scanOffset)
        if lacksHuffmanTables { complete.insert(StandardHuffmanTables.segment) }
        complete.keepScans(of: self)
        var output: [UInt8] = []
        try complete.write(into: &output, original: bytes)
        return output
    }
}
