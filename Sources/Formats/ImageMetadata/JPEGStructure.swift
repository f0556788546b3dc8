/// The structure of a JPEG: its header segments, its frame's size, and the offsets of its scan and its end.
///
/// Parsed from untrusted bytes without reading the entropy-coded data, so the cost is that of the header and of the
/// padding after the image. It has offsets instead of bytes, and is valid for the bytes from which it was parsed.
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
    /// Offset after the end-of-image marker. Only zero padding follows.
    public let endOffset: Int

    /// Parses a JPEG.
    ///
    /// - Parameter bytes: A complete image, optionally with zero padding after it.
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

    /// Parses a JPEG in an array.
    public init(parsing bytes: [UInt8]) throws(JPEGProblem) {
        try self.init(parsing: bytes.span)
    }

    /// Finds the end-of-image marker from the back. Entropy-coded data never contains `FFD9`, so this is the camera's marker.
    private static func endOfImage(in bytes: Span<UInt8>, after start: Int) throws(JPEGProblem) -> Int {
        var end = bytes.count
        while end > start && bytes[end - 1] == 0 { end -= 1 }
        guard end - start > 2, bytes[end - 2] == 0xFF, bytes[end - 1] == JPEGMarker.endOfImage else {
            throw .noEndOfImage
        }
        return end
    }
}

extension JPEGStructure {
    /// Checks the markers in the entropy-coded data. This costs about a nanosecond per byte and decodes nothing.
    ///
    /// Detects frames that are spliced from two, and lost restart intervals. It cannot detect changed bits.
    ///
    /// - Parameter bytes: The bytes from which this structure was parsed.
    /// - Returns: The number of restart markers.
    /// - Throws: ``JPEGProblem``.
    @discardableResult
    public func checkEntropyMarkers(in bytes: Span<UInt8>) throws(JPEGProblem) -> Int {
        guard bytes.count >= endOffset else { throw .truncated(byteCount: bytes.count) }
        var restarts = 0
        var offset = entropyOffset
        let end = endOffset - 2
        while offset < end {
            guard bytes[offset] == 0xFF else {
                offset += 1
                continue
            }
            let marker = bytes[offset + 1]
            if marker == 0 {
                offset += 2
            } else if marker == 0xFF {
                offset += 1
            } else if JPEGMarker.restarts.contains(marker) {
                guard restartInterval > 0, Int(marker & 7) == restarts % 8 else {
                    throw .restartMarkersMissing(at: offset)
                }
                restarts += 1
                offset += 2
            } else {
                offset = try endOfSegmentBetweenScans(at: offset, marker: marker, in: bytes)
                restarts = 0
            }
        }
        try checkRestartCount(restarts)
        return restarts
    }

    /// Checks the number of restart markers, only in images of one interleaved scan, which every camera sends.
    private func checkRestartCount(_ count: Int) throws(JPEGProblem) {
        guard isSingleScan, restartInterval > 0 else { return }
        let expected = (frame.unitCount + restartInterval - 1) / restartInterval - 1
        guard count == expected else { throw .restartMarkersMissing(at: endOffset) }
    }

    private var isSingleScan: Bool {
        guard !frame.isProgressive, let scan = segments.last else { return false }
        return scan.payload.count == 4 + 2 * frame.components.count
    }

    private func endOfSegmentBetweenScans(
        at offset: Int, marker: UInt8, in bytes: Span<UInt8>
    ) throws(JPEGProblem) -> Int {
        let isAllowed =
            [
                JPEGMarker.huffmanTables, JPEGMarker.startOfScan, JPEGMarker.quantizationTables,
                JPEGMarker.restartInterval, 0xFE,
            ].contains(marker) || (0xE0...0xEF).contains(marker)
        guard !isSingleScan, isAllowed else { throw .unexpectedMarker(marker, at: offset) }
        return try JPEGHeaderParser.segment(at: offset, in: bytes).range.upperBound
    }
}
