import ImageMetadata
import Testing

@Suite struct XMPTests {
    private let metadata = MotionPhotoMetadata(
        movieByteCount: 123_456, paddingByteCount: 8, presentationMicroseconds: 1_500_000)

    @Test("What a motion photo says of its movie is not what was written")
    func roundTrip() throws {
        let frame = try CameraFrame.uvc()
        let still = try JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription(make: "M", contentIdentifier: "A-B"))
        let image = try JPEGRewriter.image(still, withXMP: metadata.packet)
        #expect(try XMPSegment.packet(in: image).flatMap(MotionPhotoMetadata.init(packet:)) == metadata)
        #expect(try EXIFReader.contentIdentifier(in: image) == "A-B")
        #expect(try JPEGRewriter.pixelBytes(of: image) == JPEGRewriter.pixelBytes(of: frame))
        #expect(try JPEGStructure(parsing: image).segments.prefix(2).map(\.marker) == [0xE1, 0xE1])
    }

    @Test("A still that is given a movie twice names the first one")
    func replaces() throws {
        let first = try JPEGRewriter.image(CameraFrame.jfif(), withXMP: metadata.packet)
        var second = metadata
        second.movieByteCount = 77
        let image = try JPEGRewriter.image(first + [1, 2, 3], withXMP: second.packet)
        #expect(try XMPSegment.packet(in: image).flatMap(MotionPhotoMetadata.init(packet:)) == second)
        #expect(image.count == first.count - 4)
    }

    @Test("Apple's maker note has another length or place than readers look at")
    func makerNote() {
        let identifier = "7C3E9F0E-3D6C-4A2B-8F50-019A2C5E7B5A"
        let note = AppleMakerNote.bytes(contentIdentifier: identifier) ?? []
        #expect(note.count == 69)
        #expect(
            Array(note.prefix(32)) == Array("Apple iOS".utf8) + [
                0, 0, 1, 0x4D, 0x4D, 0, 1, 0, 0x11, 0, 2, 0, 0, 0, 0x25,
            ]
                + [0, 0, 0, 0x20, 0, 0, 0, 0])
        #expect(AppleMakerNote.contentIdentifier(in: note) == identifier)
        #expect(AppleMakerNote.bytes(contentIdentifier: "\u{1}") == nil)
        for count in note.indices { #expect(AppleMakerNote.contentIdentifier(in: Array(note.prefix(count))) == nil) }
    }

    @Test(
        "A packet that is no XML, or names no movie, gives a movie or no end",
        arguments: [
            "", "<", "<a", "<a b", "<a b=", "<a b='", "<a b='c", "<a b='c'", "<a =>", "< >",
            "<x GCamera:MotionPhoto='1'/>",
            "<x GCamera:MotionPhoto='1'/><i Item:Semantic='Primary'/><i Item:Semantic='MotionPhoto' Item:Length='-4'/>",
            "<x GCamera:MotionPhoto='1'/><i Item:Semantic='Primary'/><i Item:Semantic='MotionPhoto' Item:Length='99999999999999999999'/>",
        ])
    func hostile(packet: String) {
        #expect(MotionPhotoMetadata(packet: packet) == nil)
    }
}
