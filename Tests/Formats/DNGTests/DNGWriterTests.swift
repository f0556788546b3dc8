import DNG
import ImageMetadata
import Testing
import TurboJPEG

@Suite struct DNGWriterTests {
    @Test("Lossless compression makes a file longer than it is without", arguments: [8, 10, 12, 14, 16])
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

    @Test("A file without any description is one that readers refuse")
    func describesNothing() throws {
        let mosaic = try SensorImage(bits: 10).mosaic()
        let writer = DNGWriter(description: EXIFDescription(), colour: RawColour(whiteLevel: mosaic.largestSample))
        let file = try Array(writer.file(mosaic, preview: Preview.jpeg()).pieces.joined())
        #expect(try DevelopedPicture(of: file.span, scale: .full).width == 96)
    }

    @Test("A preview that is no JPEG makes a file that readers choke on")
    func refusesPreview() throws {
        let mosaic = try SensorImage(bits: 8).mosaic()
        #expect(throws: DNGError.self) { try DNGWriter.example.file(mosaic, preview: [1, 2, 3]) }
    }

    @Test("A mosaic of a few pixels ends the program", arguments: [1, 2, 3, 5])
    func tiny(side: Int) throws {
        for bits in [8, 10, 16] {
            let file = try DNGWriter.example.file(
                SensorImage(side, 1, bits: bits).mosaic(), preview: Preview.jpeg())
            #expect(file.byteCount > 0)
        }
    }

    @Test("A developed picture shows other colours than the sensor saw", arguments: CFAOrder.allCases)
    func develops(order: CFAOrder) throws {
        // Linear red 0.5, green 0.25, blue 0.125 of white, in each pixel: 188, 137 and 99 under sRGB's curve.
        let levels: [Character: Int] = ["r": 1024, "g": 512, "b": 256]
        let colours = Array(order.rawValue)
        let bytes = (0..<64 * 48).flatMap { index -> [UInt8] in
            let sample = 256 + levels[colours[index % 2 + index / 64 % 2 * 2], default: 0]
            return [UInt8(sample & 0xFF), UInt8(sample >> 8)]
        }
        let mosaic = try RawMosaic(
            unpacking: bytes.span, packing: .words, width: 64, height: 48, bits: 12, order: order)
        let writer = DNGWriter(
            description: EXIFDescription(), colour: RawColour(blackLevel: 256, whiteLevel: 256 + 2048))
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

    @Test("A damaged raw file ends the program instead of being refused")
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
        colour: RawColour(
            colorMatrix: [1, -0.25, 0, 0, 1, 0, 0, 0, 0.125], asShotNeutral: [0.5, 1, 0.625], blackLevel: 64,
            whiteLevel: 4000))
}

/// A small gray JPEG picture in colours' form.
enum Preview {
    static func jpeg() throws -> [UInt8] {
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            [UInt8](repeating: 120, count: 48 * 32 * 3).span, as: .rgb, width: 48, height: 32, quality: 80, into: &jpeg)
        return jpeg
    }
}
