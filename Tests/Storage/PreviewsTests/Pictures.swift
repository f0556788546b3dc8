import CaptureTestSupport
import Foundation
import TurboJPEG

/// Pictures of which it is known what their middle shows.
enum Pictures {
    /// Gray `middle` in the middle square of the shorter side, `edge` beside it.
    static func jpeg(
        _ width: Int, _ height: Int, _ subsampling: ChromaSubsampling = .yuv422, middle: UInt8 = 220, edge: UInt8 = 30
    ) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: subsampling)
        let sizes = geometry.planeSizes
        let square = min(width, height)
        let (left, top) = ((width - square) / 2, (height - square) / 2)
        var luma = [UInt8](repeating: edge, count: sizes[0].width * sizes[0].height)
        for y in top..<top + square {
            for x in left..<left + square { luma[y * sizes[0].width + x] = middle }
        }
        let chroma = [UInt8](repeating: 128, count: sizes.count > 1 ? sizes[1].width * sizes[1].height : 0)
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 95, into: &jpeg)
        return jpeg
    }

    /// Size and rows of gray values of a JPEG, as `djpeg` of libjpeg-turbo decodes it.
    static func decoded(_ jpeg: [UInt8]) throws -> (width: Int, height: Int, pixels: [UInt8]) {
        let folder = try TemporaryFolder()
        let (source, target) = (try folder.write(jpeg, as: "a.jpg"), folder.path + "/a.pgm")
        let outcome = try ExternalTool.run("djpeg", "-grayscale", "-strict", "-outfile", target, source)
        guard outcome.status == 0 else { throw Undecodable(output: outcome.output) }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: target)))
        // P5, sides and 255, each behind white space, and a line end.
        let fields = bytes.prefix(32).split(maxSplits: 4, whereSeparator: { $0 == 0x20 || $0 == 0x0A }).prefix(4)
        let numbers = fields.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 3 else { throw Undecodable(output: "\(numbers)") }
        return (numbers[0], numbers[1], Array(bytes.suffix(numbers[0] * numbers[1])))
    }

    struct Undecodable: Error {
        var output: String
    }
}
