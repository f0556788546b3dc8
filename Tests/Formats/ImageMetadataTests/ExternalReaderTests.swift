import CaptureTestSupport
import Foundation
import ImageMetadata
import Testing

/// Stills judged by programs that nobody here wrote.
@Suite struct ExternalReaderTests {
    static let description = EXIFDescription(
        make: "Caprig", model: "Virtual\u{7} Camera ü", bodySerialNumber: "SN-0042",
        imageUniqueID: "00112233445566778899aabbccddeeff", software: "caprig 0.1", imageDescription: "left front",
        userComment: "shot 7", orientation: .left,
        originalDate: EXIFTimestamp(realtimeNanoseconds: 1_767_319_445_123_456_789, utcOffsetMinutes: 60),
        exposureTime: EXIFRational(1, 100), isoSpeed: 400)

    @Test(
        "exiftool finds fault with a still", .enabled(if: ExternalTool.isExpected("exiftool")),
        arguments: [description, EXIFDescription(), EXIFDescription(userComment: "Größe", isoSpeed: 65535)])
    func exiftoolValidates(exif: EXIFDescription) throws {
        for frame in [try CameraFrame.uvc(), try CameraFrame.jfif(width: 321, height: 181)] {
            let report = try withStill(frame, exif) {
                try ExternalTool.run(["exiftool", "-validate", "-warning", "-a", $0])
            }
            #expect(
                report.output.split(separator: ":").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } == [
                    "Validate", "OK",
                ])
        }
    }

    @Test("Writes values that exiftool reads back", .enabled(if: ExternalTool.isExpected("exiftool")))
    func exiftoolReadsBack() throws {
        let expected: [(tag: String, value: String)] = [
            ("Make", "Caprig"), ("Model", "Virtual Camera ü"), ("SerialNumber", "SN-0042"),
            ("ImageUniqueID", "00112233445566778899aabbccddeeff"), ("Software", "caprig 0.1"),
            ("ImageDescription", "left front"), ("UserComment", "shot 7"), ("Orientation", "Rotate 270 CW"),
            ("SubSecDateTimeOriginal", "2026:01:02 03:04:05.123456789+01:00"),
            ("SubSecCreateDate", "2026:01:02 03:04:05.123456789+01:00"),
            ("SubSecModifyDate", "2026:01:02 03:04:05.123456789+01:00"), ("ExposureTime", "1/100"), ("ISO", "400"),
            ("ExifImageWidth", "640"), ("ExifImageHeight", "360"), ("ImageWidth", "640"), ("ExifVersion", "0232"),
        ]
        let report = try withStill(CameraFrame.uvc(), Self.description) { file in
            try ExternalTool.run(["exiftool"] + expected.map { "-\($0.tag)" } + ["-s2", "-f", file])
        }
        let lines = Set(report.output.split(separator: "\n").map(String.init))
        for (tag, value) in expected { #expect(lines.contains("\(tag): \(value)"), "\(report.output)") }
    }

    @Test("Writes stills that jpeginfo accepts", .enabled(if: ExternalTool.isExpected("jpeginfo")))
    func jpeginfoAccepts() throws {
        let report = try withStill(CameraFrame.uvc(), Self.description) {
            try ExternalTool.run(["jpeginfo", "-c", $0])
        }
        #expect(report.status == 0 && report.output.contains("OK"), "\(report.output)")
    }

    @Test(
        "djpeg decodes other colors from a still than from the frame", .enabled(if: ExternalTool.isExpected("djpeg")))
    func djpegAgrees() throws {
        let frame = try CameraFrame.uvc()
        let (before, after) = try TemporaryFolder.use { folder in
            let files = ["frame.jpg", "still.jpg"].map { folder.appendingPathComponent($0) }
            try Data(frame).write(to: files[0])
            try Data(JPEGRewriter.stillBytes(from: frame, exif: Self.description)).write(to: files[1])
            let pictures = try files.map { file in
                let picture = file.appendingPathExtension("ppm")
                let report = try ExternalTool.run(["djpeg", "-ppm", "-outfile", picture.path, file.path])
                #expect(report.status == 0 && report.output.isEmpty, "\(report.output)")
                return try Data(contentsOf: picture)
            }
            return (pictures[0], pictures[1])
        }
        #expect(before.count == 640 * 360 * 3 + 15)
        #expect(before == after)
    }

    private func withStill<Result>(
        _ frame: [UInt8], _ exif: EXIFDescription, _ body: (String) throws -> Result
    ) throws -> Result {
        try TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("still.jpg")
            try Data(JPEGRewriter.stillBytes(from: frame, exif: exif)).write(to: file)
            return try body(file.path)
        }
    }
}
