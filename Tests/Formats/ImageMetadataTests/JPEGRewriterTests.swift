import ImageMetadata
import Testing
import TurboJPEG

@Suite struct JPEGRewriterTests {
    @Test("A still lacks tables that strict readers need, or keeps the stream's own headers")
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

    @Test("The inserted Huffman tables are not the standard ones")
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

    @Test("A still's pixels differ from the frame that the camera sent", arguments: [true, false])
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

    @Test("A camera's own segments are lost, or its Exif block contradicts ours")
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

    @Test("A still made of a still grows or changes")
    func rewritingIsStable() throws {
        let exif = EXIFDescription(make: "A", imageUniqueID: String(repeating: "0", count: 32))
        let once = try JPEGRewriter.stillBytes(from: CameraFrame.uvc(), exif: exif)
        #expect(try JPEGRewriter.stillBytes(from: once, exif: exif) == once)
    }

    @Test("The announced size of a still differs from its bytes")
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

    @Test("A torn frame becomes a still")
    func tornFrames() throws {
        let frame = try CameraFrame.uvc(padding: 0)
        let torn = Array(frame.dropLast(100))
        #expect(throws: JPEGProblem.noEndOfImage) {
            try JPEGRewriter.stillBytes(from: torn, exif: EXIFDescription())
        }
    }

    @Test("An overlong remark makes an unreadable file")
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
