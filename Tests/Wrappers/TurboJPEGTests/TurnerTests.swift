import CaptureTestSupport
import Foundation
import Testing
import TurboJPEG

@Suite struct TurnerTests {
    /// A transform, as quarter turns clockwise and an exchange of left and right after them.
    private static let meanings: [(transform: PictureTransform, turns: Int, isMirrored: Bool)] = [
        (.rotate90, 1, false), (.rotate180, 2, false), (.rotate270, 3, false), (.flipHorizontal, 0, true),
        (.transpose, 1, true), (.flipVertical, 2, true), (.transverse, 3, true),
    ]

    @Test(
        "Turns pictures of every size and chroma as `djpeg` sees them, with all their pixels",
        .enabled(if: ExternalTool.isExpected("djpeg")),
        arguments: ChromaSubsampling.allCases, [(96, 64), (45, 23), (8, 40), (3, 33), (1, 1)])
    func turns(subsampling: ChromaSubsampling, size: (width: Int, height: Int)) throws {
        let jpeg = try Scene(width: size.width, height: size.height, subsampling: subsampling).jpeg(quality: 95)
        let original = try Gray(jpeg)
        let turner = try JPEGTurner()
        for meaning in Self.meanings {
            var turned: [UInt8] = []
            try turner.turn(jpeg.span, meaning.transform, into: &turned)
            let seen = try Gray(turned)
            let wanted = original.turned(meaning.turns, isMirrored: meaning.isMirrored)
            #expect((seen.width, seen.height) == (wanted.width, wanted.height), "\(meaning)")
            #expect(seen.meanDifference(to: wanted) < 3, "\(meaning)")
        }
    }

    @Test(
        "Leaves out the metadata, so that no viewer turns a turned picture again",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func dropsMetadata() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try Scene(width: 96, height: 64).jpeg(), as: "a.jpg")
        let outcome = try ExternalTool.run("exiftool", "-q", "-n", "-overwrite_original", "-Orientation=6", path)
        try #require(outcome.status == 0, "\(outcome.output)")
        var turned: [UInt8] = []
        try JPEGTurner().turn([UInt8](Data(contentsOf: URL(filePath: path))).span, .rotate90, into: &turned)
        let result = try folder.write(turned, as: "b.jpg")
        #expect(try ExternalTool.run("exiftool", "-s3", "-n", "-Orientation", result).output == "")
    }

    @Test("Refuses damaged bytes and never traps")
    func hostile() throws {
        let scenes = try [(96, 64), (45, 23)].map { try Scene(width: $0.0, height: $0.1, subsampling: .yuv420).jpeg() }
        let turner = try JPEGTurner(maximumPixelCount: 1_000_000)
        var generator = SplitMix(state: 11)
        var (result, accepted, refused) = ([1, 2, 3] as [UInt8], 0, 0)
        for round in 0..<1000 {
            var bytes = scenes[round % 2]
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let limit = Bool.random(using: &generator) ? 640 : bytes.count
                bytes[Int.random(in: 0..<min(limit, bytes.count), using: &generator)] = UInt8(
                    truncatingIfNeeded: generator.next())
            }
            let before = result
            do throws(TurboJPEGError) {
                try turner.turn(bytes.span, PictureTransform.allCases[round % 7], into: &result)
                accepted += 1
                // A whole picture, and nothing behind it.
                #expect(result.prefix(2) == [0xFF, 0xD8] && result.suffix(2) == [0xFF, 0xD9])
            } catch {
                #expect(result == before && !error.cause.isEmpty)
                refused += 1
            }
        }
        #expect(accepted > 50 && refused > 50)
    }
}

/// Gray values of a JPEG, decoded by `djpeg`.
private struct Gray: Equatable {
    var width: Int
    var height: Int
    var pixels: [UInt8]

    init(width: Int, height: Int, pixels: [UInt8]) {
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    init(_ jpeg: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try folder.write(jpeg, as: "a.jpg"), folder.path + "/a.pgm")
        let outcome = try ExternalTool.run("djpeg", "-grayscale", "-strict", "-outfile", target, source)
        try #require(outcome.status == 0, "\(outcome.output)")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: target)))
        // P5, sides and 255, each behind white space, and a line end.
        let fields = bytes.prefix(32).split(maxSplits: 4, whereSeparator: { $0 == 0x20 || $0 == 0x0A }).prefix(4)
        let numbers = fields.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        try #require(numbers.count == 3)
        self.init(width: numbers[0], height: numbers[1], pixels: Array(bytes.suffix(numbers[0] * numbers[1])))
    }

    /// Turned by quarters clockwise, one after the other, then with left and right exchanged.
    func turned(_ quarters: Int, isMirrored: Bool) -> Gray {
        var gray = self
        for _ in 0..<quarters {
            let before = gray
            gray = Gray(width: before.height, height: before.width, pixels: [])
            for y in 0..<gray.height {
                for x in 0..<gray.width {
                    gray.pixels.append(before.pixels[(before.height - 1 - x) * before.width + y])
                }
            }
        }
        guard isMirrored else { return gray }
        let rows = (0..<gray.height).map { gray.pixels[$0 * gray.width..<($0 + 1) * gray.width].reversed() }
        return Gray(width: gray.width, height: gray.height, pixels: rows.flatMap { $0 })
    }

    func meanDifference(to other: Gray) -> Double {
        let sum = zip(pixels, other.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(pixels.count, 1))
    }
}
