import Testing
import TurboJPEG

@Suite struct ScalerTests {
    @Test(
        "A preview of a camera with this chroma has another size, brightness or color than its picture",
        arguments: ChromaSubsampling.allCases, DecodeScale.allCases)
    func scales(subsampling: ChromaSubsampling, scale: DecodeScale) throws {
        let scene = Scene(width: 328, height: 184, subsampling: subsampling)
        let whole = try scene.jpeg(quality: 95)
        var small: [UInt8] = []
        let size = try JPEGScaler().scale(whole.span, by: scale, quality: 95, into: &small)
        #expect(size == (328 / scale.rawValue, 184 / scale.rawValue))
        let header = try JPEGDecoder().header(of: small)
        #expect((header.width, header.height) == size)
        #expect(header.subsampling == subsampling)
        for (ours, theirs) in zip(try means(small), try means(whole)) { #expect(abs(ours - theirs) < 4) }
    }

    @Test(
        "A preview that fills its box shows an edge of the picture instead of its middle",
        arguments: [
            ChromaSubsampling.gray, .yuv420, .yuv422, .yuv444,
        ])
    func cutsTheMiddle(subsampling: ChromaSubsampling) throws {
        // White in the middle third, black beside it.
        let (width, height) = (240, 96)
        let geometry = PlaneGeometry(width: width, height: height, subsampling: subsampling)
        let sizes = geometry.planeSizes
        let y = (0..<width * height).map { (80..<160).contains($0 % width) ? 255 as UInt8 : 0 }
        let chroma = sizes.dropFirst().map { [UInt8](repeating: 128, count: $0.width * $0.height) } + [[], []]
        let (cb, cr) = (chroma[0], chroma[1])
        var whole: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: y.span, cb: cb.span, cr: cr.span, quality: 95, into: &whole)
        var middle: [UInt8] = []
        let size = try JPEGScaler().scale(whole.span, by: .half, width: 40, height: 30, quality: 95, into: &middle)
        #expect(size == (40, 30))
        #expect(try means(middle)[0] > 245)
    }

    @Test("Handles a box larger than the picture")
    func largeBox() throws {
        var result: [UInt8] = []
        let jpeg = try Scene(width: 33, height: 17, subsampling: .yuv420).jpeg()
        let size = try JPEGScaler().scale(jpeg.span, by: .full, width: .max, height: .max, quality: 75, into: &result)
        #expect(size == (33, 17))
    }

    @Test("Refuses a damaged frame")
    func mutationsNeverTrap() throws {
        let good = try Scene(width: 96, height: 64, subsampling: .yuv420).jpeg()
        let scaler = try JPEGScaler(maximumPixelCount: 4_000_000)
        var generator = SplitMix(state: 7)
        var (result, accepted, refused) = ([1, 2, 3] as [UInt8], 0, 0)
        for round in 0..<2000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let limit = Bool.random(using: &generator) ? 640 : bytes.count
                bytes[Int.random(in: 0..<limit, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
            }
            let before = result
            do throws(TurboJPEGError) {
                _ = try scaler.scale(
                    bytes.span, by: DecodeScale.allCases[round % 4], width: 20, height: 20, quality: 75, into: &result)
                accepted += 1
            } catch {
                #expect(result == before && !error.cause.isEmpty)
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100)
        #expect(try scaler.scale(good.span, by: .half, quality: 75, into: &result) == (48, 32))
    }

    /// The mean of each plane.
    private func means(_ jpeg: [UInt8]) throws -> [Double] {
        var image = PlanarImage()
        try JPEGDecoder().decodePlanes(jpeg.span, into: &image)
        var start = 0
        return image.geometry.planeSizes.map { size in
            let plane = image.bytes[start..<start + size.width * size.height]
            start += plane.count
            return Double(plane.reduce(0) { $0 + Int($1) }) / Double(plane.count)
        }
    }
}
