import CaptureTestSupport
import ImageMetadata
import TurboJPEG

/// JPEGs as cameras send them.
enum CameraFrame {
    /// A textured 4:2:2 picture as TurboJPEG writes it: JFIF first, Huffman tables present.
    static func jfif(width: Int = 640, height: Int = 360, seed: UInt64 = 1) throws -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv422)
        let sizes = geometry.planeSizes.map { $0.width * $0.height }
        let luma = (0..<sizes[0]).map { index in
            UInt8(clamping: 60 + (index % width + index / width) % 100 + Int(generator.next() % 32))
        }
        let chroma = (0..<sizes[1]).map { UInt8(clamping: 80 + $0 % 96) }
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 80, into: &jpeg)
        return jpeg
    }

    /// As many UVC cameras send it: `AVI1` instead of JFIF, no Huffman tables, zero padding at the end.
    static func uvc(width: Int = 640, height: Int = 360, padding: Int = 700) throws -> [UInt8] {
        let complete = try jfif(width: width, height: height)
        let structure = try JPEGStructure(parsing: complete)
        var frame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("AVI1".utf8) + [UInt8](repeating: 0, count: 10)
        for segment in structure.segments where segment.marker != 0xC4 && segment.marker != 0xE0 {
            frame += complete[segment.range]
        }
        return frame + complete[structure.entropyOffset...] + [UInt8](repeating: 0, count: padding)
    }

    /// The frame with a segment inserted after its start-of-image marker.
    static func inserting(_ marker: UInt8, _ content: [UInt8], into frame: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return Array(frame[..<2]) + [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content + frame[2...]
    }

    /// A structurally sound grey image of 32 × 8 pixels, four blocks, with a restart marker after each.
    static func withRestarts(_ markers: [UInt8] = [0xD0, 0xD1, 0xD2]) -> [UInt8] {
        var frame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        frame += [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 32, 1, 1, 0x11, 0, 0xFF, 0xDD, 0, 4, 0, 1]
        frame += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x2A]
        for marker in markers { frame += [0xFF, marker, 0x2A] }
        return frame + [0xFF, 0xD9]
    }
}
