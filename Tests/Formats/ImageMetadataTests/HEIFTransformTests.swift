import CaptureTestSupport
import ImageMetadata
import Testing
import TurboJPEG

@Suite struct HEIFTransformTests {
    @Test(
        "A HEIC still lies on its side, or is mirrored the wrong way, in programs that follow the format",
        .enabled(if: ExternalTool.isExpected("heif-enc") && ExternalTool.isExpected("heif-convert")),
        arguments: EXIFOrientation.allCases)
    func turned(orientation: EXIFOrientation) throws {
        let folder = try TemporaryFolder()
        let (jpeg, heic, out) = (folder.path + "/a.jpg", folder.path + "/a.heic", folder.path + "/o.jpg")
        _ = try folder.write(try corner(), as: "a.jpg")
        #expect(try ExternalTool.run("heif-enc", "-q", "90", "-o", heic, jpeg).status == 0)
        let turned = try HEIFTransform.turned(folder.read("a.heic"), as: orientation)
        _ = try folder.write(turned, as: "b.heic")
        let converted = try ExternalTool.run("heif-convert", folder.path + "/b.heic", out)
        #expect(converted.status == 0, "\(converted.output)")
        let checked = try ExternalTool.run("exiftool", "-validate", "-warning", "-s3", folder.path + "/b.heic")
        #expect(checked.output.hasPrefix("OK"), "\(checked.output)")

        var shown = LumaImage()
        let decoded = try folder.read("o.jpg")
        let decoder = try JPEGDecoder()
        try decoder.decodeLuma(decoded.span, into: &shown)
        let isOnItsSide = orientation.rawValue >= 5
        let sides: [Int] = isOnItsSide ? [64, 128] : [128, 64]
        #expect([shown.width, shown.height] == sides)
        // Where Exif has the stored picture's first corner: 0 is left above, 1 right above, 2 left below, 3 right below.
        let first = [0, 1, 3, 2, 0, 1, 3, 2][Int(orientation.rawValue) - 1]
        for corner in 0..<4 {
            let gray = gray(of: shown, corner % 2 == 0 ? 8 : shown.width - 8, corner < 2 ? 8 : shown.height - 8)
            #expect((gray > 128) == (corner == first))
        }
        // 5 has the same first corner as 1, 6 as 2, …: the rest of its column tells them apart.
        let column = gray(of: shown, first % 2 == 0 ? 8 : shown.width - 8, shown.height / 2)
        #expect((column > 128) != isOnItsSide)
    }

    private func gray(of image: LumaImage, _ x: Int, _ y: Int) -> UInt8 { image.bytes[y * image.width + x] }

    @Test("Refuses a damaged file from an encoder")
    func hostile() throws {
        var generator = SeededGenerator(seed: 11)
        let valid = Self.sample
        #expect(try HEIFTransform.turned(valid, as: .right).count == valid.count + 10)
        for _ in 0..<20_000 {
            var bytes = Array(valid.prefix(Int.random(in: 0...valid.count, using: &generator)))
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? HEIFTransform.turned(bytes, as: .leftMirrored)
        }
    }

    @Test("Refuses a truncated file from an encoder that reported success")
    func cutOff() throws {
        #expect(try HEIFTransform.turned(Self.sample, as: .up) == Self.sample)
        for count in 0..<Self.sample.count {
            #expect(throws: HEIFProblem.self) {
                try HEIFTransform.turned(Array(Self.sample.prefix(count)), as: .up)
            }
        }
    }

    /// The least that a HEIF file has: `meta` with primary item, place, one property and its association.
    private static let sample: [UInt8] = {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
        }
        let pitm = box("pitm", [0, 0, 0, 0, 0, 1])
        let iloc = box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 120, 0, 0, 0, 4])
        let ipco = box("ipco", box("ispe", [0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64]))
        let iprp = box("iprp", ipco + box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81]))
        return box("ftyp", Array("heic".utf8)) + box("meta", [0, 0, 0, 0] + pitm + iloc + iprp)
            + box("mdat", [1, 2, 3, 4])
    }()

    /// Bright in the first column of the upper half and of the lower half, down to three quarters: a corner and a half column.
    private func corner() throws -> [UInt8] {
        let (width, height) = (128, 64)
        let luma = (0..<width * height).map { index -> UInt8 in
            index % width < 32 && index / width < 48 ? 230 : 20
        }
        let chroma = [UInt8](repeating: 128, count: width * height)
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            PlaneGeometry(width: width, height: height, subsampling: .yuv444), y: luma.span, cb: chroma.span,
            cr: chroma.span, quality: 95, into: &jpeg)
        return jpeg
    }
}
