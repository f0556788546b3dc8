/// Arrangements of uncompressed pixels as cameras deliver them: rows without unused bytes, planes one after another.
public enum PackedPixels: Hashable, Sendable {
    /// 4:2:2, bytes Y0 Cb Y1 Cr.
    case yuyv
    /// 4:2:2, bytes Cb Y0 Cr Y1.
    case uyvy
    /// 4:2:0, a plane of luma, then one of Cb Cr pairs.
    case nv12
    /// 4:2:0, a plane of luma, then one of Cr Cb pairs.
    case nv21
    /// 4:2:0, planes of luma, Cb and Cr.
    case yuv420
    /// Luma only, of 8 bits; or of up to 16 in two little-endian bytes, of which the highest 8 bits are kept.
    case gray(bits: Int)
    /// Bytes R, G, B. Becomes 4:2:2.
    case rgb

    /// How coarsely the chroma of the JPEG is sampled.
    var subsampling: ChromaSubsampling {
        switch self {
        case .yuyv, .uyvy, .rgb: .yuv422
        case .nv12, .nv21, .yuv420: .yuv420
        case .gray: .gray
        }
    }

    /// Bytes of an image; sides are JPEG's.
    func byteCount(width: Int, height: Int) -> Int {
        let count = width * height
        return switch self {
        case .yuyv, .uyvy: 2 * count
        case .nv12, .nv21, .yuv420: count + count / 2
        case .gray(let bits): bits > 8 ? 2 * count : count
        case .rgb: 3 * count
        }
    }

    /// Makes sure that an image of this size can be read from so many bytes.
    func check(width: Int, height: Int, count: Int) throws(TurboJPEGError) {
        let subject = "\(width)x\(height)"
        guard PlaneGeometry.isJPEGSize(width, height), fits(width: width, height: height) else {
            throw TurboJPEGError(
                .invalidGeometry, operation: "encode", subject: subject,
                cause:
                    "sides must be 1...\(PlaneGeometry.largestSide), and even where chroma is sampled at half of them")
        }
        let needed = byteCount(width: width, height: height)
        guard count >= needed else {
            throw TurboJPEGError(
                .bufferTooSmall, operation: "encode", subject: subject,
                cause: "\(count) bytes were given where \(needed) are needed")
        }
    }

    private func fits(width: Int, height: Int) -> Bool {
        switch self {
        case .yuyv, .uyvy: width.isMultiple(of: 2)
        case .nv12, .nv21, .yuv420: width.isMultiple(of: 2) && height.isMultiple(of: 2)
        case .gray(let bits): (8...16).contains(bits)
        case .rgb: true
        }
    }
}
