/// Makes stills from camera frames without changing their pixels.
public enum JPEGRewriter {
    /// Makes a still with an Exif block from a frame.
    ///
    /// The Exif segment is first. JFIF, JFXX, AVI1 and earlier Exif segments are removed, other segments are kept. The standard Huffman
    /// tables are inserted if the camera omitted them, and an end marker. What follows the image is removed. Entropy-coded bytes are never changed.
    ///
    /// - Parameters:
    ///   - frame: A complete camera frame.
    ///   - exif: The metadata of the still.
    /// - Throws: ``JPEGProblem`` if the frame is torn, malformed or unsupported, or the metadata is too long.
    public static func still(from frame: Span<UInt8>, exif: EXIFDescription) throws(JPEGProblem) -> JPEGStill {
        let structure = try JPEGStructure(parsing: frame)
        var still = JPEGStill(frame: structure.frame)
        still.keep(0..<2)
        still.insert(try exif.segment(for: structure.frame))
        for segment in structure.segments.dropLast() where !isReplaced(segment, frame) {
            still.keep(segment.range)
        }
        if structure.lacksHuffmanTables { still.insert(StandardHuffmanTables.segment) }
        still.keepScans(of: structure)
        return still
    }

    /// Returns a still's bytes in one array; see ``still(from:exif:)``.
    public static func stillBytes(from frame: Span<UInt8>, exif: EXIFDescription) throws(JPEGProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try still(from: frame, exif: exif).write(into: &bytes, original: frame)
        return bytes
    }

    /// Returns the bytes from the first scan's header to the end-of-image marker. They are equal for a frame and its still.
    ///
    /// - Throws: ``JPEGProblem`` if the image is malformed.
    public static func pixelBytes(of image: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        var pixels = JPEGStill(frame: structure.frame)
        pixels.keepScans(of: structure)
        var bytes: [UInt8] = []
        try pixels.write(into: &bytes, original: image)
        return bytes
    }

    /// Returns the image without its application segments (APP0...APP15) and padding.
    ///
    /// - Throws: ``JPEGProblem`` if the image is malformed.
    public static func withoutApplicationData(_ image: Span<UInt8>) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        var bare = JPEGStill(frame: structure.frame)
        bare.keep(0..<2)
        for segment in structure.segments.dropLast() where !segment.isApplicationData { bare.keep(segment.range) }
        bare.keepScans(of: structure)
        var bytes: [UInt8] = []
        try bare.write(into: &bytes, original: image)
        return bytes
    }

    /// Returns the image with an XMP packet after its Exif segment, without earlier XMP, padding and data after the image.
    ///
    /// - Throws: ``JPEGProblem`` if the image is malformed, or the packet is too long.
    public static func image(_ image: [UInt8], withXMP packet: String) throws(JPEGProblem) -> [UInt8] {
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
        still.keepScans(of: structure)
        var bytes: [UInt8] = []
        try still.write(into: &bytes, original: image.span)
        return bytes
    }

    /// Returns whether the still's Exif block replaces the segment.
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

/// The same functions for frames in arrays.
extension JPEGRewriter {
    /// Returns a still's bytes in one array; see ``still(from:exif:)``.
    public static func stillBytes(from frame: [UInt8], exif: EXIFDescription) throws(JPEGProblem) -> [UInt8] {
        try stillBytes(from: frame.span, exif: exif)
    }

    /// Returns the bytes from the first scan's header to the end-of-image marker; see ``pixelBytes(of:)-(Span<UInt8>)``.
    public static func pixelBytes(of image: [UInt8]) throws(JPEGProblem) -> [UInt8] {
        try pixelBytes(of: image.span)
    }

    /// Returns the image as ``JPEGStructure/completed(_:)`` does. An image that is already complete is not copied.
    ///
    /// - Throws: ``JPEGProblem`` if the image is malformed.
    public static func completed(_ image: [UInt8]) throws(JPEGProblem) -> [UInt8] {
        let structure = try JPEGStructure(parsing: image)
        return structure.isComplete ? image : try structure.completed(image.span)
    }
}
