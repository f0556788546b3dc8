/// The APP1 segment in which a JPEG carries an XMP packet (XMP Specification part 3, 1.1.3).
public enum XMPSegment {
    private static let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// The segment, marker and length included.
    ///
    /// - Parameter packet: The XML, with `x:xmpmeta` as its root.
    /// - Throws: ``JPEGProblem/metadataTooLarge(byteCount:)`` above 65533 bytes.
    public static func bytes(_ packet: String) throws(JPEGProblem) -> [UInt8] {
        let content = name + Array(packet.utf8)
        guard content.count <= 65533 else { throw .metadataTooLarge(byteCount: content.count) }
        var segment: [UInt8] = [0xFF, JPEGMarker.app1]
        segment.appendBigEndian(UInt16(content.count + 2))
        return segment + content
    }

    /// The first packet in a JPEG's header; nil where there is none. For untrusted bytes.
    ///
    /// - Parameter start: The image or as much of its beginning as holds its header; what follows is not looked at.
    /// - Throws: ``JPEGProblem`` where the header is malformed or does not end within the bytes.
    public static func packet(in start: [UInt8]) throws(JPEGProblem) -> String? {
        var header = JPEGHeaderParser()
        try header.parse(start.span)
        return header.segments.first { isXMP($0, start) }.map { segment in
            String(decoding: start[segment.payload].dropFirst(name.count), as: UTF8.self)
        }
    }

    static func isXMP(_ segment: JPEGSegment, _ bytes: some Collection<UInt8>) -> Bool {
        guard segment.marker == JPEGMarker.app1, segment.payload.count >= name.count else { return false }
        return bytes.dropFirst(segment.payload.lowerBound).starts(with: name)
    }
}
