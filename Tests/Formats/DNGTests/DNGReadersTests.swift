import CaptureTestSupport
import DNG
import Foundation
import ImageMetadata
import Testing
import TurboJPEG

/// DNGs judged by programs that nobody here wrote.
@Suite struct DNGReadersTests {
    /// Every depth with every order of colors, and what is hard to compress or to size.
    static let images: [SensorImage] =
        [8, 10, 12, 14, 16].flatMap { bits in CFAOrder.allCases.map { SensorImage(bits: bits, order: $0) } }
        + [8, 12, 16].flatMap { bits in SensorImage.Content.allCases.map { SensorImage(bits: bits, content: $0) } }
        + [(97, 64), (96, 65), (97, 65), (98, 66)].flatMap { width, height in
            [8, 10, 16].map { SensorImage(width, height, bits: $0, order: .gbrg) }
        }

    @Test(
        "dcraw reads other samples from a DNG than the sensor delivered",
        .enabled(if: ExternalTool.isExpected("dcraw")),
        arguments: TestExtent.some(12, of: images))
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
        .enabled(if: ExternalTool.isExpected("unprocessed_raw")), arguments: TestExtent.some(12, of: images))
    func libRaw(image: SensorImage) throws {
        try withFiles(image) { file, compression in
            let said = try ExternalTool.run("unprocessed_raw", "-q", file)
            #expect(said.status == 0, "\(said.output)")
            let read = try GrayMap(contentsOf: "\(file).pgm")
            #expect(read == GrayMap(image), "\(image) \(compression): \(said.output)")
        }
    }

    @Test(
        "raw-identify takes a mosaic for one of other colors or levels",
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
        try withFiles(SensorImage(bits: 12), previews: [Preview.jpeg()]) { file, compression in
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

    @Test(
        "exiftool finds fault with a DNG without a preview, or finds a picture in it",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func exiftoolWithoutPreview() throws {
        try withFiles(SensorImage(bits: 12), previews: [nil]) { file, compression in
            let validation = try ExternalTool.run("exiftool", "-validate", "-warning", "-a", "-s3", file).output
            #expect(validation.trimmingCharacters(in: .whitespacesAndNewlines) == "OK", "\(validation)")
            let report = try ExternalTool.run("exiftool", "-s2", "-G1", file).output
            for line in [
                "SubfileType: Full-resolution image", "ImageWidth: 96", "ImageHeight: 64",
                "PhotometricInterpretation: Color Filter Array", "UniqueCameraModel: Caprig Virtual camera",
                "Compression: \(compression == .none ? "Uncompressed" : "JPEG")", "Orientation: Rotate 90 CW",
            ] {
                #expect(report.contains("[IFD0] \(line)\n"), "\(line): \(report)")
            }
            #expect(report.contains("[ExifIFD] ImageUniqueID: 00112233445566778899aabbccddeeff\n"))
            #expect(!report.contains("SubIFD") && !report.contains("PreviewImage") && !report.contains("Thumbnail"))
        }
    }

    /// The image as files of both compressions, with a preview and without.
    private func withFiles(
        _ image: SensorImage, previews: [[UInt8]?]? = nil, _ body: (String, DNGCompression) throws -> Void
    ) throws {
        for preview in try previews ?? [Preview.jpeg(), nil] {
            for compression in DNGCompression.allCases {
                let file = try DNGWriter.example.file(image.mosaic(), preview: preview, compression: compression)
                let folder = try TemporaryFolder()
                try withExtendedLifetime(folder) {
                    try body(folder.write(Array(file.pieces.joined()), as: "image.dng"), compression)
                }
            }
        }
    }
}

@Suite struct DNGWriterTests {
    @Test("Stores samples uncompressed where compression does not help", arguments: [8, 10, 12, 14, 16])
    func neverGrows(bits: Int) throws {
        for content in SensorImage.Content.allCases {
            let mosaic = try SensorImage(bits: bits, content: content).mosaic()
            let plain = try DNGWriter.example.file(mosaic, preview: Preview.jpeg(), compression: .none)
            let packed = try DNGWriter.example.file(mosaic, preview: Preview.jpeg())
            #expect(packed.byteCount <= plain.byteCount)
            #expect(packed.compression == (packed.byteCount < plain.byteCount ? .losslessJPEG : .none))
            if content == .scene { #expect(packed.compression == .losslessJPEG) }
            #expect(plain.byteCount - mosaic.samples.count * (bits > 8 ? 2 : 1) < 4096)
        }
    }

    @Test("Writes a readable file without a description")
    func describesNothing() throws {
        let mosaic = try SensorImage(bits: 10).mosaic()
        let writer = DNGWriter(description: EXIFDescription(), color: RawColor(whiteLevel: mosaic.largestSample))
        let file = try Array(writer.file(mosaic, preview: Preview.jpeg()).pieces.joined())
        #expect(try DevelopedPicture(of: file.span, scale: .full).width == 96)
    }

    @Test("Omits a preview that is not a JPEG")
    func refusesPreview() throws {
        let mosaic = try SensorImage(bits: 8).mosaic()
        #expect(throws: DNGError.self) { try DNGWriter.example.file(mosaic, preview: [1, 2, 3]) }
    }

    @Test("Writes a mosaic of a few pixels", arguments: [1, 2, 3, 5])
    func tiny(side: Int) throws {
        for bits in [8, 10, 16] {
            let file = try DNGWriter.example.file(
                SensorImage(side, 1, bits: bits).mosaic(), preview: Preview.jpeg())
            #expect(file.byteCount > 0)
        }
    }

    @Test("Develops the sensor's colors", arguments: CFAOrder.allCases)
    func develops(order: CFAOrder) throws {
        // Linear red 0.5, green 0.25, blue 0.125 of white, in each pixel: 188, 137 and 99 under sRGB's curve.
        let levels: [Character: Int] = ["r": 1024, "g": 512, "b": 256]
        let colors = Array(order.rawValue)
        let bytes = (0..<64 * 48).flatMap { index -> [UInt8] in
            let sample = 256 + levels[colors[index % 2 + index / 64 % 2 * 2], default: 0]
            return [UInt8(sample & 0xFF), UInt8(sample >> 8)]
        }
        let mosaic = try RawMosaic(
            unpacking: bytes.span, packing: .words, width: 64, height: 48, bits: 12, order: order)
        let writer = DNGWriter(
            description: EXIFDescription(), color: RawColor(blackLevel: 256, whiteLevel: 256 + 2048))
        let file = try Array(writer.file(mosaic, preview: Preview.jpeg()).pieces.joined())
        for scale in [DevelopedPicture.Scale.full, .half] {
            let picture = try DevelopedPicture(of: file.span, scale: scale)
            #expect((picture.width, picture.height) == (scale == .full ? (64, 48) : (32, 24)))
            let middle = picture.withPixels { pixels in
                let start = (picture.height / 2 * picture.width + picture.width / 2) * 3
                return (0..<3).map { Int(pixels[start + $0]) }
            }
            for (found, expected) in zip(middle, [188, 137, 99]) { #expect(abs(found - expected) <= 2, "\(middle)") }
        }
    }

    @Test("Refuses a damaged raw file")
    func refusesDamage() throws {
        let file = try Array(
            DNGWriter.example.file(SensorImage(bits: 12).mosaic(), preview: Preview.jpeg()).pieces.joined())
        #expect(throws: LibRawError.self) {
            _ = try DevelopedPicture(of: [UInt8](repeating: 7, count: 500).span, scale: .half)
        }
        #expect(throws: LibRawError.self) { _ = try DevelopedPicture(of: [UInt8]().span, scale: .half) }
        #expect(throws: LibRawError.self) { _ = try DevelopedPicture(of: Array(file.prefix(300)).span, scale: .half) }
    }
}

extension DNGWriter {
    /// A writer that has something to say in every field.
    static let example = DNGWriter(
        description: EXIFDescription(
            make: "Caprig", model: "Virtual camera", bodySerialNumber: "SN-0042",
            imageUniqueID: "00112233445566778899aabbccddeeff", software: "caprig 0.1", imageDescription: "left front",
            orientation: .right,
            originalDate: EXIFTimestamp(realtimeNanoseconds: 1_767_319_445_123_456_789, utcOffsetMinutes: 60),
            exposureTime: EXIFRational(1, 100)),
        color: RawColor(
            colorMatrix: [1, -0.25, 0, 0, 1, 0, 0, 0, 0.125], asShotNeutral: [0.5, 1, 0.625], blackLevel: 64,
            whiteLevel: 4000))
}

/// A small gray JPEG picture in colors' form.
enum Preview {
    static func jpeg() throws -> [UInt8] {
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            [UInt8](repeating: 120, count: 48 * 32 * 3).span, as: .rgb, width: 48, height: 32, quality: 80, into: &jpeg)
        return jpeg
    }
}

/// A binary PGM of two bytes a sample, as raw converters write a mosaic.
struct GrayMap: Equatable, CustomStringConvertible {
    var width: Int
    var height: Int
    var samples: [UInt16]

    struct NotAGrayMap: Error {}

    var description: String { "\(width)x\(height) \(samples.prefix(8))…" }

    init(_ image: SensorImage) {
        (width, height, samples) = (image.width, image.height, image.samples)
    }

    init(contentsOf path: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        // P5, width, height, largest sample; each ends with one white space.
        var (words, start): ([String], Int) = ([], 0)
        while words.count < 4 {
            guard let end = bytes[start...].firstIndex(where: { $0 == 10 || $0 == 32 }) else { throw NotAGrayMap() }
            words.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        guard words[0] == "P5", let width = Int(words[1]), let height = Int(words[2]),
            bytes.count - start == width * height * 2
        else { throw NotAGrayMap() }
        (self.width, self.height) = (width, height)
        samples = stride(from: start, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}

/// A sensor's picture of which every sample is known, and the frames that V4L2 would make of it.
struct SensorImage: Sendable, CustomStringConvertible {
    /// What the samples are like.
    enum Content: String, CaseIterable {
        /// Color channels of different brightness, a gradient, and noise that grows with the light.
        case scene
        /// Every bit is chance, so that nothing can be compressed.
        case chance
        /// The least and the largest sample in turn, whose difference needs all bits and a sign.
        case extremes
        case plain
    }

    let width: Int
    let height: Int
    let bits: Int
    let order: CFAOrder
    let samples: [UInt16]
    let content: Content

    var description: String { "\(width)x\(height) \(bits) bits \(order.rawValue) \(content.rawValue)" }

    init(_ width: Int = 96, _ height: Int = 64, bits: Int, order: CFAOrder = .rggb, content: Content = .scene) {
        (self.width, self.height, self.bits, self.order, self.content) = (width, height, bits, order, content)
        var generator = SeededGenerator(seed: UInt64(width * 31 + height * 7 + bits))
        let largest = 1 << bits - 1
        samples = (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            let sample =
                switch content {
                case .scene: Self.scene(x, y, width, height, largest, &generator)
                case .chance: Int.random(in: 0...largest, using: &generator)
                case .extremes: (x / 2 + y) % 2 == 0 ? 0 : largest
                case .plain: largest / 3
                }
            return UInt16(sample)
        }
    }

    private static func scene(
        _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ largest: Int, _ generator: inout SeededGenerator
    ) -> Int {
        let channel = [0.9, 0.6, 0.6, 0.4][x % 2 + y % 2 * 2]
        let light = channel * (0.1 + 0.8 * Double(x + y) / Double(width + height)) * Double(largest)
        let noise = Double.random(in: -1...1, using: &generator) * (light.squareRoot() + 1)
        return min(max(Int(light + noise), 0), largest)
    }

    /// The packings in which a sensor delivers samples of so many bits.
    var packings: [RawPacking] { RawPacking.allCases.filter { frame($0) != nil } }

    /// The bytes of the frame; nil where samples are not packed so.
    func frame(_ packing: RawPacking) -> [UInt8]? {
        switch (packing, bits) {
        case (.bytes, 8): samples.map { UInt8($0) }
        case (.words, 9...): samples.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case (.mipi, 10):
            rows(of: 4, highFrom: 2) { low in
                let pairs: [UInt16] = [low[0] | low[1] << 2, low[2] | low[3] << 2]
                return [pairs[0] | pairs[1] << 4]
            }
        case (.mipi, 12): rows(of: 2, highFrom: 4) { low in [low[0] | low[1] << 4] }
        case (.mipi, 14):
            rows(of: 4, highFrom: 6) { low in
                let first: UInt16 = (low[0] | low[1] << 6) & 255
                let second: UInt16 = (low[1] >> 2 | low[2] << 4) & 255
                return [first, second, low[2] >> 4 | low[3] << 2]
            }
        default: nil
        }
    }

    /// Groups of so many samples: their high 8 bits, then what becomes of their low ones.
    private func rows(of count: Int, highFrom low: UInt16, _ pack: ([UInt16]) -> [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in stride(from: 0, to: width, by: count) {
                var group = Array(samples[row * width + column..<row * width + min(column + count, width)])
                group += [UInt16](repeating: 0, count: count - group.count)
                bytes += group.map { UInt8($0 >> low) }
                bytes += pack(group.map { $0 & (1 << low - 1) }).map { UInt8($0) }
            }
        }
        return bytes
    }

    func mosaic() throws -> RawMosaic {
        try mosaic(#require(packings.first))
    }

    func mosaic(_ packing: RawPacking) throws -> RawMosaic {
        let bytes = try #require(frame(packing))
        return try RawMosaic(
            unpacking: bytes.span, packing: packing, width: width, height: height, bits: bits, order: order)
    }
}
