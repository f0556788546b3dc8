import Testing
import TurboJPEG

@Suite struct DecoderTests {
    @Test("Scales to the size and brightness of the whole", arguments: DecodeScale.allCases)
    func scales(scale: DecodeScale) throws {
        let scene = Scene(width: 325, height: 183, subsampling: .gray)
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(scene.jpeg(quality: 95), scale: scale, into: &image)
        #expect(image.width == (325 + scale.rawValue - 1) / scale.rawValue)
        #expect(image.height == (183 + scale.rawValue - 1) / scale.rawValue)
        #expect(image.bytes.count == image.width * image.height)
        #expect(abs(mean(image.bytes) - mean(scene.y)) < 3)
    }

    @Test("Refuses a small file that claims a huge picture")
    func bombsAreRefused() throws {
        var jpeg = try Scene(width: 64, height: 64).jpeg()
        let frameHeader = try #require(offset(of: [0xFF, 0xC0], in: jpeg))
        jpeg.replaceSubrange(frameHeader + 5..<frameHeader + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        let decoder = try JPEGDecoder(maximumPixelCount: 10_000_000)
        var image = LumaImage()
        #expect(code { try decoder.decodeLuma(jpeg, scale: .eighth, into: &image) } == .tooManyPixels)
        #expect(code { try decoder.verify(jpeg) } == .tooManyPixels)
        #expect(image.bytes.isEmpty)
    }

    @Test("Refuses a small file in several scans that claims a large picture")
    func scannedBombsAreRefused() throws {
        let jpeg = try resized(Scene(width: 64, height: 64).jpeg(), width: 6000, height: 6000)
        let decoder = try JPEGDecoder()
        #expect(try decoder.header(of: jpeg).pixelCount == 36_000_000, "a picture in one scan is decoded by rows")
        var (image, output) = (PlanarImage(), [UInt8]())
        for several in [try progressive(jpeg), try withScans(1, jpeg)] {
            #expect(code { try decoder.decodePlanes(several.span, scale: .eighth, into: &image) } == .tooManyPixels)
            #expect(throws: TurboJPEGError.self) {
                try JPEGScaler().scale(several.span, by: .eighth, quality: 80, into: &output)
            }
        }
        let error = #expect(throws: TurboJPEGError.self) { try decoder.verify(progressive(jpeg)) }
        #expect(
            error?.description
                == "JPEG header of 6000x6000 failed: it comes in several scans, of which more than 25000000 pixels take too much memory"
        )
    }

    @Test("Refuses a file of hundreds of scans")
    func scansAreCounted() throws {
        let decoder = try JPEGDecoder()
        let jpeg = try Scene(width: 64, height: 64).jpeg()
        for filling in [[], [0x12, 0xFF, 0x00], [0xFF, 0xFF], [0xFF, 0xD3], [0xFF, 0xFE, 0, 4, 0xFF, 0xD9]] as [[UInt8]]
        {
            #expect(code { try decoder.verify(withScans(100, jpeg, filling)) } == .tooManyScans, "\(filling)")
            #expect(try decoder.header(of: withScans(64, jpeg, filling)).width == 64, "\(filling)")
        }
    }

    @Test("Detects a torn frame")
    func damageIsFound() throws {
        let jpeg = try Scene(width: 640, height: 360).jpeg()
        let decoder = try JPEGDecoder()
        #expect(try decoder.verify(jpeg).width == 640)
        for kept in [jpeg.count / 4, jpeg.count / 2, jpeg.count * 9 / 10] {
            let torn = Array(jpeg.prefix(kept))
            #expect(code { try decoder.verify(torn) } == .damaged)
        }
        var holed = jpeg
        holed.replaceSubrange(8000..<11000, with: [UInt8](repeating: 0, count: 3000))
        #expect(code { try decoder.verify(holed) } == .damaged)
        var image = LumaImage()
        try decoder.decodeLuma(holed, into: &image)
        #expect(image.warning != nil)
        try decoder.decodeLuma(jpeg, into: &image)
        #expect(image.warning == nil)
    }

    @Test("Accepts padding after a frame")
    func paddingIsHarmless() throws {
        let padded = try Scene(width: 320, height: 180).jpeg() + [UInt8](repeating: 0, count: 5000)
        #expect(try JPEGDecoder().verify(padded).height == 180)
    }

    @Test("Reads frames without Huffman tables")
    func standardTablesAreImplied() throws {
        let scene = Scene(width: 320, height: 180)
        var (complete, bare) = (LumaImage(), LumaImage())
        let decoder = try JPEGDecoder()
        try decoder.decodeLuma(scene.jpeg(), into: &complete)
        try decoder.decodeLuma(withoutHuffmanTables(scene.jpeg()), into: &bare)
        #expect(complete == bare)
    }

    @Test("Forgets one camera's Huffman tables before another's frame")
    func imagesAreIndependent() throws {
        let scene = Scene(width: 320, height: 180)
        let bareFrame = withoutHuffmanTables(try scene.jpeg())
        var foreign = try scene.jpeg()
        let table = try #require(offset(of: [0xFF, 0xC4], in: foreign))
        // Two symbols of one code length change places: legal tables, but not the standard ones.
        foreign.swapAt(table + 5 + 16 + 2, table + 5 + 16 + 3)
        var (expected, image) = (LumaImage(), LumaImage())
        try JPEGDecoder().decodeLuma(bareFrame, into: &expected)
        let decoder = try JPEGDecoder()
        try decoder.decodeLuma(foreign, into: &image)
        #expect(image != expected)
        try decoder.decodeLuma(bareFrame, into: &image)
        #expect(image == expected)
    }

    @Test("Decodes an intact frame after a malformed one")
    func failuresDoNotStick() throws {
        let good = try Scene(width: 64, height: 48).jpeg()
        var bad = good
        let table = try #require(offset(of: [0xFF, 0xC4], in: bad))
        bad[table + 6] = 0xFF
        let decoder = try JPEGDecoder()
        #expect(code { try decoder.verify(bad) } == .undecodable)
        #expect(try decoder.verify(good).width == 64)
    }

    @Test("Refuses bytes that are not a JPEG", arguments: [0, 1, 2, 3, 20, 4000])
    func garbageIsRefused(count: Int) throws {
        var generator = SplitMix(state: UInt64(count))
        let decoder = try JPEGDecoder()
        for start in [[], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xC0, 0, 17]] as [[UInt8]] {
            let bytes = (start + (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }).prefix(count)
            #expect(throws: TurboJPEGError.self) { try decoder.verify(Array(bytes)) }
        }
    }

    @Test("Refuses a damaged frame")
    func mutationsNeverTrap() throws {
        let good = try Scene(width: 96, height: 64).jpeg()
        let decoder = try JPEGDecoder(maximumPixelCount: 4_000_000)
        var generator = SplitMix(state: 42)
        var (image, accepted, refused) = (LumaImage(), 0, 0)
        for _ in 0..<3000 {
            var bytes = good
            // Half of the changes go to the header, where they do most harm.
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let limit = Bool.random(using: &generator) ? 640 : bytes.count
                bytes[Int.random(in: 0..<limit, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
            }
            do throws(TurboJPEGError) {
                try decoder.decodeLuma(bytes, scale: .quarter, into: &image)
                #expect(image.bytes.count == image.width * image.height)
                accepted += 1
            } catch {
                #expect(!error.cause.isEmpty)
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100)
        // The same decoder still works after all that.
        #expect(try decoder.verify(good).width == 96)
    }

    @Test(
        "Nothing of an earlier image is in one that cannot be decoded to its end, also if a warning comes before the error",
        arguments: DecodeScale.allCases, [ChromaSubsampling.gray, .yuv420, .yuv422])
    func errorsAfterWarnings(scale: DecodeScale, subsampling: ChromaSubsampling) throws {
        let decoder = try JPEGDecoder()
        let good = try Scene(width: 98, height: 67, subsampling: subsampling).jpeg()
        // Bytes between markers are a warning, and a missing quantization table is an error when the decode begins.
        let broken = good.prefix(2) + [1, 2, 3] + without(0xDB, good).dropFirst(2)
        var (luma, planes) = (LumaImage(), PlanarImage())
        try decoder.decodeLuma(good, scale: scale, into: &luma)
        try decoder.decodePlanes(good.span, scale: scale, into: &planes)
        #expect(code { try decoder.decodeLuma(Array(broken), scale: scale, into: &luma) } == .undecodable)
        #expect(code { try decoder.decodePlanes(Array(broken).span, scale: scale, into: &planes) } == .undecodable)
        #expect(luma.bytes.isEmpty && planes.bytes.isEmpty)
        #expect(code { try decoder.verify(Array(broken)) } == .damaged)
        // The warning alone is none.
        let padded = Array(good.prefix(2) + [1, 2, 3] + good.dropFirst(2))
        try decoder.decodePlanes(padded.span, scale: scale, into: &planes)
        #expect(planes.warning?.contains("extraneous") == true && !planes.bytes.isEmpty)
    }

    @Test("A damaged image has the same pixels whatever was decoded before it", arguments: [false, true])
    func damagedImagesAreIndependent(isProgressive: Bool) throws {
        var good = try Scene(width: 99, height: 65, subsampling: .yuv420).jpeg()
        if isProgressive {
            // A scan of the first coefficients alone: of the data, it decodes what it can.
            good = try progressive(good)
            good[try #require(offset(of: [0xFF, 0xDA], in: good)) + 12] = 0
        }
        let decoder = try JPEGDecoder(maximumPixelCount: 100_000)
        var generator = SplitMix(state: 11)
        var (accepted, refused) = (0, 0)
        for round in 0..<1000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 2..<bytes.count, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
            }
            let scale = DecodeScale.allCases[round % 4]
            var (first, second, luma, other) = (PlanarImage(), PlanarImage(), LumaImage(), LumaImage())
            do throws(TurboJPEGError) {
                try decoder.decodePlanes(bytes.span, scale: scale, into: &first)
                try decoder.decodeLuma(bytes, scale: scale, into: &luma)
            } catch {
                refused += 1
                continue
            }
            accepted += 1
            // Storage of the same size, with other content.
            try decoder.decodePlanes(good.span, scale: scale, into: &second)
            try decoder.decodeLuma(good, scale: scale, into: &other)
            try decoder.decodePlanes(bytes.span, scale: scale, into: &second)
            try decoder.decodeLuma(bytes, scale: scale, into: &other)
            #expect(first.bytes == second.bytes && first.warning == second.warning && luma == other, "round \(round)")
        }
        #expect(accepted > 50 && refused > 50)
    }

    @Test("Names the image that failed, and the reason")
    func errorsAreSentences() throws {
        let jpeg = try Scene(width: 64, height: 48).jpeg()
        let decoder = try JPEGDecoder(maximumPixelCount: 100)
        let error = #expect(throws: TurboJPEGError.self) { try decoder.header(of: jpeg) }
        #expect(error?.description == "JPEG header of 64x48 failed: more than the limit of 100 pixels")
    }

    private func resized(_ jpeg: [UInt8], width: Int, height: Int) throws -> [UInt8] {
        let frame = try #require(offset(of: [0xFF, 0xC0], in: jpeg))
        let sides = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return jpeg[..<(frame + 5)] + sides + jpeg[(frame + 9)...]
    }

    private func progressive(_ jpeg: [UInt8]) throws -> [UInt8] {
        var jpeg = jpeg
        jpeg[try #require(offset(of: [0xFF, 0xC0], in: jpeg)) + 1] = 0xC2
        return jpeg
    }

    /// Scans of the first component alone, with no data, and bytes before each.
    private func withScans(_ count: Int, _ jpeg: [UInt8], _ filling: [UInt8] = []) throws -> [UInt8] {
        let scan = filling + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let header = jpeg[..<(try #require(offset(of: [0xFF, 0xDA], in: jpeg)))]
        return header + (0..<count).flatMap { _ in scan } + [0xFF, 0xD9]
    }

    private func code(_ body: () throws -> Void) -> TurboJPEGError.Code? {
        do { try body() } catch { return (error as? TurboJPEGError)?.code }
        return nil
    }

    private func mean(_ bytes: [UInt8]) -> Double { Double(bytes.reduce(0) { $0 + Int($1) }) / Double(bytes.count) }

    private func offset(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        (0...bytes.count - pattern.count).first { Array(bytes[$0..<$0 + pattern.count]) == pattern }
    }

    private func withoutHuffmanTables(_ jpeg: [UInt8]) -> [UInt8] { without(0xC4, jpeg) }

    /// Removes the segments of a marker.
    private func without(_ marker: UInt8, _ jpeg: [UInt8]) -> [UInt8] {
        var (kept, position): ([UInt8], Int) = ([0xFF, 0xD8], 2)
        while jpeg[position + 1] != 0xDA {
            let end = position + 2 + Int(jpeg[position + 2]) << 8 + Int(jpeg[position + 3])
            if jpeg[position + 1] != marker { kept += jpeg[position..<end] }
            position = end
        }
        return kept + jpeg[position...]
    }
}
