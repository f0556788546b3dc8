import CaptureTestSupport
import ImageMetadata
import Testing
import TurboJPEG

@Suite struct JPEGRewriterTests {
    @Test("Adds the tables that strict readers need, and drops the stream's headers")
    func uvcFrameBecomesStill() throws {
        let frame = try CameraFrame.uvc()
        let still = try JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription(make: "M"))
        let structure = try JPEGStructure(parsing: still)
        #expect(!structure.lacksHuffmanTables)
        #expect(structure.segments.map(\.marker) == [0xE1, 0xDB, 0xDB, 0xC0, 0xC4, 0xDA])
        #expect(structure.endOffset == still.count)
        let tables = try #require(structure.segments.first { $0.marker == 0xC4 })
        #expect(tables.range.count == 420)
    }

    @Test("Inserts the standard Huffman tables")
    func tablesAreTheStandardOnes() throws {
        let encoded = try CameraFrame.jfif()
        let still = try JPEGRewriter.stillBytes(from: CameraFrame.uvc(), exif: EXIFDescription())
        // TurboJPEG's default encoder uses the tables of T.81 K.3, one a segment.
        let expected = try tables(encoded).sorted { $0.lexicographicallyPrecedes($1) }
        let inserted = try #require(tables(still).first)
        var rest = inserted[...]
        var found: [[UInt8]] = []
        while let _ = rest.first {
            let size = 17 + rest.dropFirst().prefix(16).reduce(0) { $0 + Int($1) }
            found.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        #expect(found.sorted { $0.lexicographicallyPrecedes($1) } == expected)
    }

    @Test("Keeps the pixels of the camera's frame", arguments: [true, false])
    func pixelsAreUntouched(isUVC: Bool) throws {
        let frame = isUVC ? try CameraFrame.uvc() : try CameraFrame.jfif()
        let still = try JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription(model: "C", orientation: .right))
        #expect(try JPEGRewriter.pixelBytes(of: still) == JPEGRewriter.pixelBytes(of: frame))
        #expect(try definitions(still) == definitions(frame))
        var (before, after) = (LumaImage(), LumaImage())
        let decoder = try JPEGDecoder()
        try decoder.decodeLuma(frame, into: &before)
        try decoder.decodeLuma(still, into: &after)
        #expect(before == after && after.warning == nil)
    }

    @Test("Keeps the camera's own segments, and replaces its Exif")
    func otherSegmentsStay() throws {
        var frame = try CameraFrame.jfif()
        frame = CameraFrame.inserting(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 9], into: frame)
        frame = CameraFrame.inserting(0xFE, Array("remark".utf8), into: frame)
        frame = CameraFrame.inserting(0xE1, Array("Exif\0\0MM".utf8), into: frame)
        frame = CameraFrame.inserting(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8), into: frame)
        frame = CameraFrame.inserting(0xE0, Array("JFXX\0".utf8), into: frame)
        let still = try JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription())
        let markers = try JPEGStructure(parsing: still).segments.map(\.marker).prefix { $0 != 0xDB }
        #expect(Array(markers) == [0xE1, 0xE1, 0xFE, 0xE2])
    }

    @Test("Leaves a still unchanged that is rewritten")
    func rewritingIsStable() throws {
        let exif = EXIFDescription(make: "A", imageUniqueID: String(repeating: "0", count: 32))
        let once = try JPEGRewriter.stillBytes(from: CameraFrame.uvc(), exif: exif)
        #expect(try JPEGRewriter.stillBytes(from: once, exif: exif) == once)
    }

    @Test("Announces the size that it writes")
    func piecesAddUp() throws {
        let frame = try CameraFrame.uvc()
        let still = try JPEGRewriter.still(from: frame.span, exif: EXIFDescription(model: "m"))
        var output: [UInt8] = [9]
        try still.write(into: &output, original: frame.span)
        #expect(output.count == still.byteCount + 1 && output[0] == 9)
        let cut = Array(frame.prefix(100))
        #expect(throws: JPEGProblem.truncated(byteCount: 100)) {
            try still.write(into: &output, original: cut.span)
        }
        #expect(output.count == still.byteCount + 1)
    }

    @Test("Rejects a torn frame")
    func tornFrames() throws {
        let frame = try CameraFrame.uvc(padding: 0)
        let torn = Array(frame.dropLast(100))
        #expect(throws: JPEGProblem.noEndOfImage) {
            try JPEGRewriter.stillBytes(from: torn, exif: EXIFDescription())
        }
    }

    @Test("Limits the length of a remark")
    func metadataLimit() throws {
        let frame = try CameraFrame.uvc()
        let long = try JPEGRewriter.stillBytes(
            from: frame.span, exif: EXIFDescription(userComment: String(repeating: "x", count: 65_000)))
        #expect(try JPEGStructure(parsing: long).segments[0].payload.count > 65_000)
        #expect(throws: JPEGProblem.self) {
            try JPEGRewriter.still(
                from: frame.span, exif: EXIFDescription(userComment: String(repeating: "x", count: 65_600)))
        }
    }

    private func tables(_ jpeg: [UInt8]) throws -> [[UInt8]] {
        try JPEGStructure(parsing: jpeg).segments.filter { $0.marker == 0xC4 }.map { Array(jpeg[$0.payload]) }
    }

    /// Everything that decides how the scan decodes, inserted tables aside.
    private func definitions(_ jpeg: [UInt8]) throws -> [[UInt8]] {
        try JPEGStructure(parsing: jpeg).segments
            .filter { !$0.isApplicationData && $0.marker != 0xC4 }.map { Array(jpeg[$0.range]) }
    }
}

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

    /// A structurally sound gray image of 32 × 8 pixels, four blocks, with a restart marker after each.
    static func withRestarts(_ markers: [UInt8] = [0xD0, 0xD1, 0xD2]) -> [UInt8] {
        var frame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        frame += [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 32, 1, 1, 0x11, 0, 0xFF, 0xDD, 0, 4, 0, 1]
        frame += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x2A]
        for marker in markers { frame += [0xFF, marker, 0x2A] }
        return frame + [0xFF, 0xD9]
    }
}
