import Testing
import TurboJPEG

@Suite struct PackedPixelsTests {
    private static let arrangements: [PackedPixels] = [
        .yuyv, .uyvy, .nv12, .nv21, .yuv420, .gray(bits: 8), .gray(bits: 10), .gray(bits: 12), .gray(bits: 16), .rgb,
    ]

    /// 46 is not a multiple of the width that the loops take at once.
    private func scene(_ subsampling: ChromaSubsampling) -> Scene {
        Scene(width: 46, height: 34, subsampling: subsampling)
    }

    private func encode(
        _ bytes: [UInt8], _ arrangement: PackedPixels, isLimitedRange: Bool = false, width: Int = 46, height: Int = 34
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        try JPEGEncoder().encode(
            bytes.span, as: arrangement, isLimitedRange: isLimitedRange, width: width, height: height, quality: 85,
            into: &output)
        return output
    }

    @Test("Converts packed pixels with the right place and color")
    func equalsPlanes() throws {
        let half = scene(.yuv422)
        #expect(try encode(half.yuyv(), .yuyv) == half.jpeg())
        #expect(try encode(swappedPairs(half.yuyv()), .uyvy) == half.jpeg())
        let quarter = scene(.yuv420)
        #expect(try encode(quarter.y + quarter.cb + quarter.cr, .yuv420) == quarter.jpeg())
        #expect(try encode(quarter.y + interleaved(quarter.cb, quarter.cr), .nv12) == quarter.jpeg())
        #expect(try encode(quarter.y + interleaved(quarter.cr, quarter.cb), .nv21) == quarter.jpeg())
        #expect(try encode(scene(.gray).y, .gray(bits: 8)) == scene(.gray).jpeg())
    }

    @Test("Scales gray of more than 8 bits", arguments: [10, 12, 16])
    func deepGray(bits: Int) throws {
        let gray = scene(.gray)
        let deep = gray.y.flatMap { sample -> [UInt8] in
            let value = UInt16(sample) << UInt16(bits - 8) | 1
            return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
        }
        #expect(try encode(deep, .gray(bits: bits)) == gray.jpeg())
    }

    @Test("Limits a sample beyond its bits")
    func tooDeep() throws {
        let white = try encode([UInt8](repeating: 255, count: 46 * 34), .gray(bits: 8))
        #expect(try encode([UInt8](repeating: 255, count: 2 * 46 * 34), .gray(bits: 10)) == white)
    }

    @Test("Expands video range", arguments: [PackedPixels.yuyv, .uyvy, .nv12, .nv21, .yuv420])
    func widened(arrangement: PackedPixels) throws {
        let luma = { (sample: UInt8) in widened(sample, 16, 235, around: 16, to: 0, scale: 255.0 / 219) }
        let chroma = { (sample: UInt8) in widened(sample, 16, 240, around: 128, to: 128, scale: 255.0 / 224) }
        // Every value of a sample, at places that the vector loop takes and at places behind it.
        let samples = (0..<46 * 34).map { UInt8(truncatingIfNeeded: $0) }
        let (limited, full) = (
            arranged(samples, samples, arrangement), arranged(samples.map(luma), samples.map(chroma), arrangement)
        )
        let pale = try decoded(encode(limited, arrangement, isLimitedRange: true))
        let right = try decoded(encode(full, arrangement))
        #expect(zip(pale, right).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
        let difference = zip(pale, right).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(pale.count) < 1)
    }

    @Test("Keeps red, green and blue in order")
    func rgb() throws {
        for (color, luma) in [([255, 0, 0], 76), ([0, 255, 0], 150), ([0, 0, 255], 29)] as [([UInt8], Int)] {
            let bytes = (0..<46 * 34).flatMap { _ in color }
            #expect(try decoded(encode(bytes, .rgb)).allSatisfy { abs(Int($0) - luma) <= 2 })
        }
    }

    @Test("Refuses a short or odd frame", arguments: arrangements)
    func checked(arrangement: PackedPixels) throws {
        let needed = try #require(
            (1...20_000).first { (try? encode([UInt8](repeating: 9, count: $0), arrangement)) != nil })
        #expect(needed >= 46 * 34)
        let whole = [UInt8](repeating: 9, count: 200_000)
        for (width, height) in [(0, 34), (46, 0), (-2, 34), (65_502, 2), (.max, .max), (.min, 2)] {
            #expect(throws: TurboJPEGError.self) { try encode(whole, arrangement, width: width, height: height) }
        }
        if arrangement == .yuyv || arrangement == .nv12 {
            #expect(throws: TurboJPEGError.self) { try encode(whole, arrangement, width: 45) }
        }
        #expect(throws: TurboJPEGError.self) { try encode(whole, .gray(bits: 17)) }
    }

    private func widened(
        _ sample: UInt8, _ low: UInt8, _ high: UInt8, around center: Double, to target: Double, scale: Double
    ) -> UInt8 {
        UInt8(clamping: Int((target + (Double(min(max(sample, low), high)) - center) * scale).rounded()))
    }

    /// Planes of the same samples as an arrangement has them.
    private func arranged(_ luma: [UInt8], _ chroma: [UInt8], _ arrangement: PackedPixels) -> [UInt8] {
        switch arrangement {
        case .yuyv: interleaved(luma, Array(chroma.prefix(luma.count)))
        case .uyvy: interleaved(Array(chroma.prefix(luma.count)), luma)
        default: luma + chroma.prefix(luma.count / 2)
        }
    }

    private func interleaved(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        zip(first, second).flatMap { [$0, $1] }
    }

    private func swappedPairs(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] }
    }

    private func decoded(_ jpeg: [UInt8]) throws -> [UInt8] {
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(jpeg, into: &image)
        return image.bytes
    }
}

/// A picture with gradients, edges and a little noise, so that compressed data is neither tiny nor uniform.
struct Scene {
    let width: Int
    let height: Int
    let y: [UInt8]
    let cb: [UInt8]
    let cr: [UInt8]
    let subsampling: ChromaSubsampling

    init(width: Int, height: Int, subsampling: ChromaSubsampling = .yuv422, seed: UInt64 = 1) {
        var generator = SplitMix(state: seed)
        let sizes = PlaneGeometry(width: width, height: height, subsampling: subsampling).planeSizes
        let planes = (0..<3).map { plane -> [UInt8] in
            guard plane < sizes.count else { return [] }
            return (0..<sizes[plane].width * sizes[plane].height).map { index in
                let (x, line) = (index % sizes[plane].width, index / sizes[plane].width)
                let block = (x / 24 + line / 16 + plane).isMultiple(of: 2) ? 40 : 0
                return UInt8(clamping: 40 + (x * 3 + line * (plane + 1)) % 120 + block + Int(generator.next() % 8))
            }
        }
        self.width = width
        self.height = height
        self.subsampling = subsampling
        (y, cb, cr) = (planes[0], planes[1], planes[2])
    }

    var geometry: PlaneGeometry { PlaneGeometry(width: width, height: height, subsampling: subsampling) }

    /// The same picture packed as `Y0 Cb Y1 Cr`.
    func yuyv() -> [UInt8] {
        var packed: [UInt8] = []
        for line in 0..<height {
            for pair in 0..<width / 2 {
                let luma = line * width + 2 * pair
                packed += [y[luma], cb[line * width / 2 + pair], y[luma + 1], cr[line * width / 2 + pair]]
            }
        }
        return packed
    }

    func jpeg(quality: Int = 85) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: y.span, cb: cb.span, cr: cr.span, quality: quality, into: &bytes)
        return bytes
    }
}

/// A small generator with a fixed sequence, so that a failing case can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
