/// Makes stills of camera frames without touching their pixels.
public enum JPEGRewriter {
    /// Describes a frame as a still with an Exif block.
    ///
    /// Exif stands first. JFIF, JFXX, AVI1 and earlier Exif segments go, other segments stay; the standard Huffman tables are
    /// inserted where the camera left them out; padding after the image goes. Entropy-coded bytes are never changed.
    ///
    /// - Parameters:
    ///   - frame: A whole camera frame.
    ///   - exif: What the still shall say about itself.
    /// - Throws: ``JPEGProblem``: the frame is torn, malformed or unsupported, or the description is too long.
    public static func still(from frame: Span<UInt8>, exif: EXIFDescription) throws(JPEGProblem) -> JPEGStill {
        let structure = try JPEGStructure(parsing: frame)
        var still = JPEGStill(frame: structure.frame)
        still.keep(0..<2)
        still.insert(try exif.segment(for: structure.frame))
        for segment in structure.segments.dropLast() where !isReplaced(segment, frame) {
            still.keep(segment.range)
        }
        if structure.lacksHuffmanTables { still.insert(StandardHuffmanTables.segment) }
        still.keep(structure.scanOffset..<structure.endOffset)
        return still
    }

    /// A still's bytes in one array; see ``still(from:exif:)``.
    public static func stillBytes(from frame: Span<UInt8>, exif: EXIFDescription) throws(JPEGProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try still(from: frame, exif: exif).write(into: &bytes, original: frame)
        return bytes
    }

    /// The bytes from the first scan's header to the end-of-image marker: equal for a frame and the still made of it.
    ///
    /// - Throws: ``JPEGProblem`` when the image is malformed.
    public static func pixelBytes(of image: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        var bytes: [UInt8] = []
        bytes.append(copying: image.extracting(structure.scanOffset..<structure.endOffset))
        return bytes
    }

    /// The image without its application segments (APP0...APP15), padding and all but the image gone.
    ///
    /// - Throws: ``JPEGProblem`` when the image is malformed.
    public static func withoutApplicationData(_ image: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        var bare = JPEGStill(frame: structure.frame)
        bare.keep(0..<2)
        for segment in structure.segments.dropLast() where !segment.isApplicationData { bare.keep(segment.range) }
        bare.keep(structure.scanOffset..<structure.endOffset)
        var bytes: [UInt8] = []
        try bare.write(into: &bytes, original: image)
        return bytes
    }

    /// The image with the standard Huffman tables where it has none, padding gone; every other byte as it is.
    ///
    /// - Throws: ``JPEGProblem`` when the image is malformed.
    public static func completed(_ image: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        var complete = JPEGStill(frame: structure.frame)
        complete.keep(0..<structure.scanOffset)
        if structure.lacksHuffmanTables { complete.insert(StandardHuffmanTables.segment) }
        complete.keep(structure.scanOffset..<structure.endOffset)
        var bytes: [UInt8] = []
        try complete.write(into: &bytes, original: image)
        return bytes
    }

    /// The image with this XMP packet behind its Exif segment; earlier XMP, padding and all behind the image gone.
    ///
    /// - Throws: ``JPEGProblem``: the image is malformed, or the packet is too long.
    public static func image(_ image: [UInt8], withXMP packet: String) throws(JPEGProblem) -> [UInt8] {
        // What may stand behind the image, such as an earlier movie, is told from it by its markers.
        guard case .whole(let count) = try JPEGExtent(of: image) else { throw .noEndOfImage }
        let image = Array(image.prefix(count))
        let structure = try JPEGStructure(parsing: image)
        var still = JPEGStill(frame: structure.frame)
        still.keep(0..<2)
        let header = structure.segments.dropLast()
        let leading = header.prefix { $0.marker == JPEGMarker.app1 && !XMPSegment.isXMP($0, image) }
        for segment in leading { still.keep(segment.range) }
        still.insert(try XMPSegment.bytes(packet))
        for segment in header.dropFirst(leading.count) where !XMPSegment.isXMP(segment, image) {
            still.keep(segment.range)
        }
        still.keep(structure.scanOffset..<structure.endOffset)
        var bytes: [UInt8] = []
        try still.write(into: &bytes, original: image.span)
        return bytes
    }

    /// Segments that contradict or repeat what the still's own Exif block says.
    private static func isReplaced(_ segment: JPEGSegment, _ bytes: Span<UInt8>) -> Bool {
        switch segment.marker {
        case JPEGMarker.app0: ["JFIF\0", "JFXX\0", "AVI1"].contains { begins(segment, with: $0, bytes) }
        case JPEGMarker.app1: begins(segment, with: "Exif\0", bytes)
        default: false
        }
    }

    private static func begins(_ segment: JPEGSegment, with name: String, _ bytes: Span<UInt8>) -> Bool {
        guard segment.payload.count >= name.utf8.count else { return false }
        return zip(segment.payload, name.utf8).allSatisfy { bytes[$0] == $1 }
    }
}
