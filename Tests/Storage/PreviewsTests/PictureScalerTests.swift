import CaptureModel
import CaptureTestSupport
import ImageMetadata
import Testing
import TurboJPEG

@testable import Previews

@Suite struct PictureScalerTests {
    struct Size: Sendable, CustomStringConvertible {
        var (width, height): (Int, Int)
        /// Of the preview.
        var small: [Int]
        var square: Int
        var description: String { "\(width)x\(height)" }

        init(_ width: Int, _ height: Int, _ small: [Int], _ square: Int) {
            (self.width, self.height, self.small, self.square) = (width, height, small, square)
        }
    }

    @Test(
        "A thumbnail is not square, shows another part than the middle, or a preview has another shape than its picture",
        arguments: [
            Size(1920, 1080, [1024, 576], 256), Size(1280, 720, [1024, 576], 256), Size(720, 1280, [576, 1024], 256),
            Size(640, 480, [640, 480], 256), Size(160, 120, [160, 120], 120), Size(4056, 3040, [1024, 767], 256),
            Size(2047, 1023, [1024, 512], 256), Size(6000, 301, [1024, 51], 256), Size(17, 9, [17, 9], 9),
        ])
    func sizes(size: Size) throws {
        let reducer = try PictureScaler()
        let pictures = try reducer.reduce(Pictures.jpeg(size.width, size.height), orientation: .up)
        let thumbnail = try Pictures.decoded(#require(pictures[.thumbnail]))
        #expect([thumbnail.width, thumbnail.height] == [size.square, size.square])
        // A pixel at the edge is allowed to be of both.
        let inner = 2..<size.square - 2
        for row in inner {
            let start: Int = row * size.square
            let pixels: ArraySlice<UInt8> = thumbnail.pixels[start + inner.lowerBound..<start + inner.upperBound]
            #expect(pixels.allSatisfy { $0 > 205 }, "row \(row)")
        }
        let preview = try Pictures.decoded(#require(pictures[.preview]))
        #expect([preview.width, preview.height] == size.small)
        #expect(preview.pixels.contains { $0 < 50 } && preview.pixels.contains { $0 > 205 })
    }

    @Test("Makes thumbnails with the right colors for every camera", arguments: ChromaSubsampling.allCases)
    func subsamplings(subsampling: ChromaSubsampling) throws {
        let pictures = try PictureScaler().reduce(
            Pictures.jpeg(801, 451, subsampling), orientation: .up)
        for picture in SmallPicture.allCases {
            let jpeg = try #require(pictures[picture])
            #expect(try JPEGDecoder().header(of: jpeg.span).subsampling == subsampling)
            let pixels = try Pictures.decoded(jpeg)
            #expect(pixels.pixels[pixels.height / 2 * pixels.width + pixels.width / 2] > 210)
        }
    }

    @Test("Turns a thumbnail upright", .enabled(if: ExternalTool.isExpected("exiftool")))
    func orientation() throws {
        let folder = try TemporaryFolder()
        for (name, jpeg) in try PictureScaler().reduce(Pictures.jpeg(640, 360), orientation: .right) {
            let path = try folder.write(jpeg, as: "\(name.rawValue).jpg")
            let told = try ExternalTool.run("exiftool", "-n", "-s3", "-Orientation", path)
            #expect(told.output == "6\n")
            let checked = try ExternalTool.run("exiftool", "-validate", "-warning", "-s3", path)
            #expect(checked.output.hasPrefix("OK"))
        }
    }

    @Test("Refuses a file that is not a picture or ends in its header")
    func brokenPictures() throws {
        let reducer = try PictureScaler()
        let whole = try Pictures.jpeg(640, 480)
        for bytes in [[], [1, 2, 3], Array(whole.prefix(100)), Array(repeating: 0xFF, count: 5000)] {
            #expect(throws: PictureProblem.self) { try reducer.reduce(bytes, orientation: .up) }
        }
        // What came before does no harm to what comes after, and half a picture is better than none.
        #expect(try reducer.reduce(whole, orientation: .up).count == 2)
    }

    @Test("Makes no small pictures of one that fails to decode after a warning, and none of an earlier picture")
    func failureAfterWarning() throws {
        let reducer = try PictureScaler()
        let whole = try Pictures.jpeg(640, 480)
        #expect(try reducer.reduce(whole, orientation: .up).count == 2)
        // Bytes between markers are a warning, and a missing quantization table is an error.
        let broken = whole.prefix(2) + [1, 2, 3] + Self.withoutQuantizationTables(whole).dropFirst(2)
        let problem = #expect(throws: PictureProblem.self) { try reducer.reduce(Array(broken), orientation: .up) }
        #expect(problem?.description.contains("640x480") == true)
        #expect(try reducer.reduce(whole, orientation: .up).count == 2)
    }

    private static func withoutQuantizationTables(_ jpeg: [UInt8]) -> [UInt8] {
        var (kept, position): ([UInt8], Int) = ([0xFF, 0xD8], 2)
        while jpeg[position + 1] != 0xDA {
            let end = position + 2 + Int(jpeg[position + 2]) << 8 + Int(jpeg[position + 3])
            if jpeg[position + 1] != 0xDB { kept += jpeg[position..<end] }
            position = end
        }
        return kept + jpeg[position...]
    }

    @Test(
        "Of a progressive picture there is none, or a few bytes of one take the coordinator's memory",
        .enabled(if: ExternalTool.isExpected("jpegtran")))
    func progressive() throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try folder.write(Pictures.jpeg(640, 480), as: "a.jpg"), folder.path + "/b.jpg")
        try #require(try ExternalTool.run("jpegtran", "-progressive", "-outfile", target, source).status == 0)
        var picture = try folder.read("b.jpg")
        let reducer = try PictureScaler()
        #expect(try reducer.reduce(picture, orientation: .up).count == 2)
        let frame = try #require(picture.indices.dropLast().first { picture[$0] == 0xFF && picture[$0 + 1] == 0xC2 })
        picture.replaceSubrange(frame + 5..<frame + 9, with: [0x17, 0x70, 0x17, 0x70])
        let problem = #expect(throws: PictureProblem.self) { try reducer.reduce(picture, orientation: .up) }
        #expect(problem?.description.contains("6000x6000") == true && problem?.description.contains("scans") == true)
    }
}
