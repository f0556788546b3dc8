import Testing
import TurboJPEG

@Suite struct EncoderTests {
    @Test("Encodes the pixels of its planes", arguments: ChromaSubsampling.allCases)
    func planesSurvive(subsampling: ChromaSubsampling) throws {
        let scene = Scene(width: 322, height: 201, subsampling: subsampling)
        let jpeg = try scene.jpeg(quality: 95)
        let decoder = try JPEGDecoder()
        let header = try decoder.header(of: jpeg)
        #expect((header.width, header.height) == (322, 201))
        #expect(header.subsampling == subsampling)
        var image = LumaImage()
        try decoder.decodeLuma(jpeg, into: &image)
        #expect(image.warning == nil)
        // Planes may be padded to the sampling factor (4:1:1 at 322 pixels), so rows are compared one by one.
        let planeWidth = scene.geometry.planeSizes[0].width
        #expect(meanDifference(image, scene.y, stride: planeWidth) < 3)
    }

    @Test("Ignores the padding of rows")
    func stridesAreHonored() throws {
        let scene = Scene(width: 320, height: 180)
        let padded = PlaneGeometry(width: 320, height: 180, subsampling: .yuv422, strides: [384, 200, 192])
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            padded, y: pad(scene.y, 320, 384).span, cb: pad(scene.cb, 160, 200).span, cr: pad(scene.cr, 160, 192).span,
            quality: 85, into: &jpeg)
        #expect(try jpeg == scene.jpeg())
    }

    @Test("Encodes images of changing size")
    func encoderIsReusable() throws {
        let encoder = try JPEGEncoder()
        var jpeg: [UInt8] = []
        for (width, height) in [(64, 48), (640, 480), (32, 16), (640, 480)] {
            let scene = Scene(width: width, height: height)
            try encoder.encode(
                scene.geometry, y: scene.y.span, cb: scene.cb.span, cr: scene.cr.span, quality: 50, into: &jpeg)
            #expect(try jpeg == scene.jpeg(quality: 50))
        }
    }

    @Test("Encodes noise at the highest quality")
    func worstCaseFits() throws {
        var generator = SplitMix(state: 7)
        let noise = (0..<256 * 256).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            PlaneGeometry(width: 256, height: 256, subsampling: .yuv444), y: noise.span, cb: noise.span, cr: noise.span,
            quality: 100, into: &jpeg)
        #expect(try JPEGDecoder().verify(jpeg).width == 256)
    }

    @Test("Refuses a size that the image does not have")
    func geometryIsChecked() throws {
        let encoder = try JPEGEncoder()
        let bytes = [UInt8](repeating: 0, count: 64 * 64)
        var output: [UInt8] = [1, 2, 3]
        func code(_ geometry: PlaneGeometry, quality: Int = 80, chroma: [UInt8]? = nil) -> TurboJPEGError.Code? {
            do throws(TurboJPEGError) {
                let chroma = chroma ?? bytes
                try encoder.encode(
                    geometry, y: bytes.span, cb: chroma.span, cr: chroma.span, quality: quality, into: &output)
                return nil
            } catch {
                return error.code
            }
        }
        let good = PlaneGeometry(width: 64, height: 64, subsampling: .yuv422)
        #expect(code(good, quality: 0) == .invalidGeometry)
        #expect(code(good, quality: 101) == .invalidGeometry)
        #expect(code(good, chroma: []) == .bufferTooSmall)
        #expect(code(PlaneGeometry(width: 64, height: 65, subsampling: .gray)) == .bufferTooSmall)
        for (width, height) in [(0, 1), (1, 0), (-1, 5), (65501, 1), (1, 65501), (.max, .max), (.min, 1)] {
            #expect(code(PlaneGeometry(width: width, height: height, subsampling: .gray)) == .invalidGeometry)
        }
        for strides in [[63, 32, 32], [64, 31, 32], [64, 32], [], [.max, 32, 32], [-64, 32, 32]] {
            let geometry = PlaneGeometry(width: 64, height: 64, subsampling: .yuv422, strides: strides)
            #expect(code(geometry) == .invalidGeometry)
        }
        #expect(output == [1, 2, 3])
    }

    private func pad(_ plane: [UInt8], _ width: Int, _ stride: Int) -> [UInt8] {
        var padded: [UInt8] = []
        for start in Swift.stride(from: 0, to: plane.count, by: width) {
            padded += plane[start..<start + width]
            padded += [UInt8](repeating: 0xAA, count: stride - width)
        }
        return padded
    }

    private func meanDifference(_ image: LumaImage, _ plane: [UInt8], stride: Int) -> Double {
        var sum = 0
        for line in 0..<image.height {
            for x in 0..<image.width {
                sum += abs(Int(image.bytes[line * image.width + x]) - Int(plane[line * stride + x]))
            }
        }
        return Double(sum) / Double(image.bytes.count)
    }
}
