import CaptureTestSupport
import Foundation
import ImageMetadata
import Testing

@Suite struct EXIFTimestampTests {
    @Test("Writes the date of the clock")
    func agreesWithTheCalendar() throws {
        var generator = SeededGenerator(seed: 5)
        let day: Int64 = 86_400_000_000_000
        let edges: [Int64] = [0, -1, 1, 951_782_399, 951_782_400, 4_107_542_399, 4_107_542_400, -2_203_891_200]
        let dates =
            edges.map { $0 * 1_000_000_000 } + [.min, .max]
            + (0..<2000).map { _ in Int64.random(in: -30_000 * day...90_000 * day, using: &generator) }
        for (index, nanoseconds) in dates.enumerated() {
            let offset = [0, 60, -210, 345, 840, -720][index % 6]
            let stamp = EXIFTimestamp(realtimeNanoseconds: nanoseconds, utcOffsetMinutes: offset)
            #expect(stamp.dateTime == expected(nanoseconds, offset))
        }
    }

    @Test("Writes sub-seconds with leading zeros and sign")
    func subSeconds() {
        #expect(stamp(1_767_319_445_000_000_007, 0).subSecond == "000000007")
        #expect(stamp(1_767_319_445_123_456_789, 60).subSecond == "123456789")
        #expect(stamp(-1, 0).subSecond == "999999999")
        #expect(stamp(-1, 0).dateTime == "1969:12:31 23:59:59")
        #expect(stamp(1_767_319_445_123_456_789, 60).dateTime == "2026:01:02 03:04:05")
    }

    @Test("Writes offsets west of Greenwich and limits those beyond a day")
    func offsets() {
        #expect(
            [0, 60, -30, -210, 345].map { stamp(0, $0).offset } == ["+00:00", "+01:00", "-00:30", "-03:30", "+05:45"])
        #expect(stamp(0, .max).offset == "+23:59")
        #expect(stamp(0, .min).dateTime == "1969:12:31 00:01:00")
    }

    @Test("Writes the camera's exposure time")
    func exposureTimes() {
        #expect(EXIFRational(secondsFromNanoseconds: 10_000_000) == EXIFRational(1, 100))
        #expect(EXIFRational(secondsFromNanoseconds: 15_600_000) == EXIFRational(39, 2500))
        #expect(EXIFRational(secondsFromNanoseconds: 0) == EXIFRational(0, 1))
        #expect(EXIFRational(secondsFromNanoseconds: 30_000_000_000) == EXIFRational(30, 1))
        #expect(EXIFRational(secondsFromNanoseconds: -1) == nil)
        #expect(EXIFRational(secondsFromNanoseconds: 999_999_999) == EXIFRational(999_999_999, 1_000_000_000))
        #expect(EXIFRational(secondsFromNanoseconds: .max) == nil)
    }

    private func stamp(_ nanoseconds: Int64, _ offset: Int) -> EXIFTimestamp {
        EXIFTimestamp(realtimeNanoseconds: nanoseconds, utcOffsetMinutes: offset)
    }

    /// What Foundation's calendar says of the same instant.
    private func expected(_ nanoseconds: Int64, _ offset: Int) -> String {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(secondsFromGMT: offset * 60) ?? .gmt
        let seconds = (Double(nanoseconds / 1_000_000_000) - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0))
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
        return String(
            format: "%04d:%02d:%02d %02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
            parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
    }
}

@Suite struct XMPTests {
    private let metadata = MotionPhotoMetadata(
        movieByteCount: 123_456, paddingByteCount: 8, presentationMicroseconds: 1_500_000)

    @Test("Describes the movie of a motion photo as written")
    func roundTrip() throws {
        let frame = try CameraFrame.uvc()
        let still = try JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription(make: "M", contentIdentifier: "A-B"))
        let image = try JPEGRewriter.image(still, withXMP: metadata.packet)
        #expect(try XMPSegment.packet(in: image).flatMap(MotionPhotoMetadata.init(packet:)) == metadata)
        #expect(try EXIFReader.contentIdentifier(in: image) == "A-B")
        #expect(try JPEGRewriter.pixelBytes(of: image) == JPEGRewriter.pixelBytes(of: frame))
        #expect(try JPEGStructure(parsing: image).segments.prefix(2).map(\.marker) == [0xE1, 0xE1])
    }

    @Test("Names the second movie of a still that is given one twice")
    func replaces() throws {
        let first = try JPEGRewriter.image(CameraFrame.jfif(), withXMP: metadata.packet)
        var second = metadata
        second.movieByteCount = 77
        let image = try JPEGRewriter.image(first + [1, 2, 3], withXMP: second.packet)
        #expect(try XMPSegment.packet(in: image).flatMap(MotionPhotoMetadata.init(packet:)) == second)
        #expect(image.count == first.count - 4)
    }

    @Test("Writes Apple's maker note where readers look for it")
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
        "A packet that is not XML, or names no movie, gives a movie or no end",
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
