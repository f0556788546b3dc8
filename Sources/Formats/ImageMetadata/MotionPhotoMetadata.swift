/// The metadata of a still about the movie that follows it: Google's Motion Photo format 1.0, in XMP.
///
/// The XML is written by hand, because readers compare prefixes and attributes literally, regardless of what XML allows.
public struct MotionPhotoMetadata: Hashable, Sendable {
    /// Bytes of the movie, which is at the file's end.
    public var movieByteCount: Int64
    /// Bytes between image and movie.
    public var paddingByteCount: Int64
    /// The time of the still from the movie's beginning, in microseconds; -1 if unknown.
    public var presentationMicroseconds: Int64

    public init(movieByteCount: Int64, paddingByteCount: Int64 = 0, presentationMicroseconds: Int64) {
        self.movieByteCount = movieByteCount
        self.paddingByteCount = paddingByteCount
        self.presentationMicroseconds = presentationMicroseconds
    }

    /// The XMP packet.
    public var packet: String {
        """
        <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>\
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" \
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" \
        GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1" \
        GCamera:MotionPhotoPresentationTimestampUs="\(presentationMicroseconds)">\
        <Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" \
        Item:Semantic="Primary" Item:Length="0" Item:Padding="\(paddingByteCount)"/></rdf:li>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4" Item:Semantic="MotionPhoto" \
        Item:Length="\(movieByteCount)" Item:Padding="0"/></rdf:li></rdf:Seq></Container:Directory>\
        </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """
    }

    /// Parses a packet written in the form that cameras use; nil if it describes no movie. The input is untrusted.
    public init?(packet: String) {
        let tags = XMPTag.all(in: packet)
        guard let description = tags.first(where: { $0["GCamera:MotionPhoto"] == "1" }),
            let primary = tags.first(where: { $0["Item:Semantic"] == "Primary" }),
            let movie = tags.first(where: { $0["Item:Semantic"] == "MotionPhoto" }),
            let length = movie["Item:Length"].flatMap({ Int64($0) }), length > 0,
            let padding = Int64(primary["Item:Padding"] ?? "0"), padding >= 0
        else { return nil }
        movieByteCount = length
        paddingByteCount = padding
        presentationMicroseconds =
            description["GCamera:MotionPhotoPresentationTimestampUs"].flatMap { Int64($0) } ?? -1
    }
}

/// The APP1 segment that contains an XMP packet in a JPEG (XMP Specification part 3, 1.1.3).
public enum XMPSegment {
    private static let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// Returns the segment, including marker and length.
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

    /// Returns the first packet in a JPEG's header; nil if there is none. The input is untrusted.
    ///
    /// - Parameter start: The image, or a beginning that includes its header. Bytes after the header are not read.
    /// - Throws: ``JPEGProblem`` if the header is malformed or does not end within the bytes.
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

/// The attributes of one XML tag by their literal names. References such as `&amp;` are not resolved.
struct XMPTag {
    private let attributes: [Substring: Substring]

    subscript(name: String) -> String? {
        attributes[name[...]].map(String.init)
    }

    /// Returns all tags of a text, in order. Parsing ends where the text is not XML.
    static func all(in text: String) -> [XMPTag] {
        var tags: [XMPTag] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...].dropFirst()
            guard let tag = XMPTag(&rest) else { return tags }
            tags.append(tag)
        }
        return tags
    }

    /// Parses and removes one tag from the front, including its name and final `>`; nil if it does not end.
    private init?(_ rest: inout Substring) {
        var attributes: [Substring: Substring] = [:]
        rest = rest.drop { !$0.isWhitespace && $0 != ">" }
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" || $0 == "?" }
            guard let first = rest.first else { return nil }
            if first == ">" { break }
            let name = rest.prefix { $0 != "=" && $0 != ">" && !$0.isWhitespace }
            rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
            let value = rest.dropFirst().prefix { $0 != quote }
            guard value.endIndex < rest.endIndex else { return nil }
            attributes[name] = value
            rest = rest[value.endIndex...].dropFirst()
        }
        self.attributes = attributes
    }
}
