import CaptureTestSupport
import DNG
import Foundation
import ImageMetadata
import Testing

/// DNGs judged by programs that nobody here wrote.
@Suite struct DNGReadersTests {
    /// Every depth with every order of colours, and what is hard to compress or to size.
    static let images: [SensorImage] =
        [8, 10, 12, 14, 16].flatMap { bits in CFAOrder.allCases.map { SensorImage(bits: bits, order: $0) } }
        + [8, 12, 16].flatMap { bits in SensorImage.Content.allCases.map { SensorImage(bits: bits, content: $0) } }
        + [(97, 64), (96, 65), (97, 65), (98, 66)].flatMap { width, height in
            [8, 10, 16].map { SensorImage(width, height, bits: $0, order: .gbrg) }
        }

    @Test(
        "dcraw reads other samples from a DNG than the sensor delivered",
        .enabled(if: ExternalTool.isExpected("dcraw")),
        arguments: images)
    func dcraw(image: SensorImage) throws {
        try withFiles(image) { file, compression in
            let map = "\(file).pgm"
            let said = try ExternalTool.run(["sh", "-c", "dcraw -D -4 -t 0 -c \"$0\" > \"$1\"", file, map])
            #expect(said.status == 0 && said.output.isEmpty, "\(said.output)")
            let read = try GrayMap(contentsOf: map)
            #expect(read == GrayMap(image), "\(image) \(compression)")
        }
    }

    @Test(
        "LibRaw reads other samples from a DNG than the sensor delivered",
        .enabled(if: ExternalTool.isExpected("unprocessed_raw")), arguments: images)
    func libRaw(image: SensorImage) throws {
        try withFiles(image) { file, compression in
            let said = try ExternalTool.run("unprocessed_raw", "-q", file)
            #expect(said.status == 0, "\(said.output)")
            let read = try GrayMap(contentsOf: "\(file).pgm")
            #expect(read == GrayMap(image), "\(image) \(compression): \(said.output)")
        }
    }

    @Test(
        "raw-identify takes a mosaic for one of other colours or levels",
        .enabled(if: ExternalTool.isExpected("raw-identify")), arguments: CFAOrder.allCases)
    func identifies(order: CFAOrder) throws {
        try withFiles(SensorImage(bits: 10, order: order)) { file, _ in
            let said = try ExternalTool.run("raw-identify", "-v", file).output
            #expect(said.contains("Filter pattern: \(order.rawValue.uppercased())"), "\(said)")
            #expect(said.contains("Camera: Caprig"), "\(said)")
        }
    }

    @Test(
        "exiftool finds fault with a DNG, or reads other values than were written",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func exiftool() throws {
        try withFiles(SensorImage(bits: 12)) { file, compression in
            let validation = try ExternalTool.run("exiftool", "-validate", "-warning", "-a", "-s3", file).output
            #expect(validation.trimmingCharacters(in: .whitespacesAndNewlines) == "OK", "\(validation)")
            let expected: [(tag: String, value: String)] = [
                ("IFD0:Make", "Caprig"), ("IFD0:Model", "Virtual camera"),
                ("IFD0:SubfileType", "Reduced-resolution image"),
                ("SubIFD:SubfileType", "Full-resolution image"), ("SubIFD:ImageWidth", "96"),
                ("SubIFD:ImageHeight", "64"), ("SubIFD:BlackLevel", "64"), ("SubIFD:WhiteLevel", "4000"),
                ("SubIFD:Compression", compression == .none ? "Uncompressed" : "JPEG"),
                ("IFD0:UniqueCameraModel", "Caprig Virtual camera"), ("IFD0:AsShotNeutral", "0.5 1 0.625"),
                ("IFD0:ColorMatrix1", "1 -0.25 0 0 1 0 0 0 0.125"),
                ("ExifIFD:ImageUniqueID", "00112233445566778899aabbccddeeff"), ("ExifIFD:ExifImageWidth", "96"),
                ("IFD0:RawDataUniqueID", "00112233445566778899AABBCCDDEEFF"), ("ExifIFD:SerialNumber", "SN-0042"),
                ("IFD0:CameraSerialNumber", "SN-0042"), ("IFD0:Orientation", "Rotate 90 CW"),
            ]
            let report = try ExternalTool.run(
                ["exiftool", "-s2", "-f", "-G1"] + expected.map { "-\($0.tag)" } + [file])
            let lines = report.output.split(separator: "\n").map { line in
                line.drop { $0 != "]" }.dropFirst(2).replacing(/: +/, with: ": ")
            }
            for (tag, value) in expected {
                let name = tag.split(separator: ":")[1]
                #expect(lines.contains("\(name): \(value)"), "\(tag): \(report.output)")
            }
        }
    }

    /// The image as files of both compressions.
    private func withFiles(_ image: SensorImage, _ body: (String, DNGCompression) throws -> Void) throws {
        for compression in DNGCompression.allCases {
            let file = try DNGWriter.example.file(
                image.mosaic(), preview: Preview.jpeg(), compression: compression)
            let folder = try TemporaryFolder()
            try withExtendedLifetime(folder) {
                try body(folder.write(Array(file.pieces.joined()), as: "image.dng"), compression)
            }
        }
    }
}
