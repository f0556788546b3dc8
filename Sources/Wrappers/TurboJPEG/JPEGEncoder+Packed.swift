import CTurboJPEG

extension JPEGEncoder {
    /// Compresses an image as a camera delivers it.
    ///
    /// - Parameters:
    ///   - pixels: The image; bytes behind it are not read.
    ///   - arrangement: What the bytes are.
    ///   - isLimitedRange: Whether luma lies within 16 to 235 and chroma within 16 to 240; both are widened to JPEG's range.
    ///     Means nothing for RGB, and nothing for gray of more than 8 bits.
    ///   - width: Pixels; even where chroma is subsampled.
    ///   - height: Pixels; even where chroma is subsampled vertically.
    ///   - quality: 1...100.
    ///   - output: Replaced by the JPEG; its capacity is reused.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func encode(
        _ pixels: Span<UInt8>, as arrangement: PackedPixels, isLimitedRange: Bool = false, width: Int, height: Int,
        quality: Int, into output: inout [UInt8]
    ) throws(TurboJPEGError) {
        try arrangement.check(width: width, height: height, count: pixels.count)
        let planes = PlaneGeometry(width: width, height: height, subsampling: arrangement.subsampling)
        try planes.check(quality: quality)
        try unsafe pixels.withUnsafeBufferPointer { (bytes) throws(TurboJPEGError) in
            guard let source = bytes.baseAddress else { return }
            if arrangement == .rgb {
                try unsafe compressRGB(planes, source, quality, &output)
            } else {
                try unsafe withScratch(planes.packedByteCount) { (scratch) throws(TurboJPEGError) in
                    let pointers = unsafe planar(source, arrangement, planes, isLimitedRange, scratch)
                    try unsafe compress(planes, pointers, quality, &output)
                }
            }
        }
    }

    /// Where the image's planes are: in `source` as long as they can be used as they lie there, else in `scratch`.
    private func planar(
        _ source: UnsafePointer<UInt8>, _ arrangement: PackedPixels, _ planes: PlaneGeometry, _ isLimited: Bool,
        _ scratch: UnsafeMutablePointer<UInt8>
    ) -> [UnsafePointer<UInt8>?] {
        let (width, height) = (planes.width, planes.height)
        let luma = width * height
        let chroma = (planes.packedByteCount - luma) / 2
        let (cb, cr) = unsafe (scratch + luma, scratch + luma + chroma)
        var (y, b, r) = unsafe (UnsafePointer(scratch), UnsafePointer(cb), UnsafePointer(cr))
        switch arrangement {
        case .yuyv: unsafe caprig_split_yuyv(source, 2 * width, width, height, scratch, cb, cr)
        case .uyvy: unsafe caprig_split_uyvy(source, 2 * width, width, height, scratch, cb, cr)
        case .nv12:
            unsafe caprig_split_pairs(source + luma, chroma, cb, cr)
            unsafe y = source
        case .nv21:
            unsafe caprig_split_pairs(source + luma, chroma, cr, cb)
            unsafe y = source
        case .yuv420: unsafe (y, b, r) = unsafe (source, source + luma, source + luma + chroma)
        case .gray(let bits) where bits > 8:
            unsafe caprig_reduce_gray(source, luma, UInt32(bits), scratch)
            return unsafe [y]
        case .gray, .rgb: unsafe y = source
        }
        if isLimited {
            unsafe caprig_widen_luma(y, luma, scratch)
            unsafe caprig_widen_chroma(b, chroma, cb)
            unsafe caprig_widen_chroma(r, chroma, cr)
            return unsafe [UnsafePointer(scratch), UnsafePointer(cb), UnsafePointer(cr)]
        }
        return unsafe [y, b, r]
    }

    private func compressRGB(
        _ planes: PlaneGeometry, _ source: UnsafePointer<UInt8>, _ quality: Int, _ result: inout [UInt8]
    ) throws(TurboJPEGError) {
        let (width, height) = (Int32(planes.width), Int32(planes.height))
        try unsafe collect(planes, &result) { (buffer, size) in
            unsafe tjCompress2(
                handle, source, width, 3 * width, height, Int32(TJPF_RGB.rawValue), &buffer, &size,
                planes.subsampling.code, Int32(quality), Self.flags)
        }
    }
}
