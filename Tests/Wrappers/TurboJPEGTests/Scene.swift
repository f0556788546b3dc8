import TurboJPEG

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
