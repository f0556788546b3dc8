/// What a still says of the movie behind it: Google's Motion Photo format 1.0, in XMP.
///
/// Written by hand, since readers compare prefixes and take attributes literally, whatever XML would allow.
public struct MotionPhotoMetadata: Hashable, Sendable {
    /// Bytes of the movie, which stands at the file's end.
    public var movieByteCount: Int64
    /// Bytes between image and movie.
    public var paddingByteCount: Int64
    /// Time of the still from the movie's beginning, microseconds; -1: not known.
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

    /// Reads a packet written in the same form, as cameras do; nil where it names no movie. For untrusted text.
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
