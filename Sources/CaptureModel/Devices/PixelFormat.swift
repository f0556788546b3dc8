/// The layout of a camera's pixel data, by its V4L2 fourcc without trailing spaces.
///
/// Frames are handed over packed: rows without unused bytes, planes one after another. ``family`` says what the samples
/// are; sizes, conversions and costs derive from it.
public enum PixelFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// Motion JPEG (`V4L2_PIX_FMT_MJPEG`): every frame is a JPEG image of its own.
    case mjpeg = "MJPG"
    /// Packed YCbCr 4:2:2, bytes Y0 Cb Y1 Cr.
    case yuyv = "YUYV"
    /// Packed YCbCr 4:2:2, bytes Cb Y0 Cr Y1.
    case uyvy = "UYVY"
    /// YCbCr 4:2:0: a plane of Y, then one of Cb Cr pairs.
    case nv12 = "NV12"
    /// YCbCr 4:2:0: a plane of Y, then one of Cr Cb pairs.
    case nv21 = "NV21"
    /// YCbCr 4:2:0: planes of Y, Cb and Cr.
    case yu12 = "YU12"
    /// 8 bit gray.
    case grey = "GREY"
    /// 10 bit gray, each sample in the low bits of two bytes, the lower first.
    case y10 = "Y10"
    /// 12 bit gray, as ``y10``.
    case y12 = "Y12"
    /// Bytes R G B.
    case rgb24 = "RGB3"

    // Bayer mosaics, named by the first two samples of the first and second row. Samples of more than 8 bits lie in the
    // low bits of two bytes, the lower first.
    case bggr8 = "BA81"
    case gbrg8 = "GBRG"
    case grbg8 = "GRBG"
    case rggb8 = "RGGB"
    case bggr10 = "BG10"
    case gbrg10 = "GB10"
    case grbg10 = "BA10"
    case rggb10 = "RG10"
    case bggr12 = "BG12"
    case gbrg12 = "GB12"
    case grbg12 = "BA12"
    case rggb12 = "RG12"
    case bggr16 = "BYR2"
    case gbrg16 = "GB16"
    case grbg16 = "GR16"
    case rggb16 = "RG16"

    /// What the samples are and how they are arranged.
    public var family: PixelFamily {
        switch self {
        case .mjpeg: .jpeg
        case .yuyv: .packed422(lumaFirst: true)
        case .uyvy: .packed422(lumaFirst: false)
        case .nv12: .semiPlanar420(blueFirst: true)
        case .nv21: .semiPlanar420(blueFirst: false)
        case .yu12: .planar420
        case .grey: .gray(bits: 8)
        case .y10: .gray(bits: 10)
        case .y12: .gray(bits: 12)
        case .rgb24: .rgb
        case .bggr8: .bayer(.bggr, bits: 8)
        case .gbrg8: .bayer(.gbrg, bits: 8)
        case .grbg8: .bayer(.grbg, bits: 8)
        case .rggb8: .bayer(.rggb, bits: 8)
        case .bggr10: .bayer(.bggr, bits: 10)
        case .gbrg10: .bayer(.gbrg, bits: 10)
        case .grbg10: .bayer(.grbg, bits: 10)
        case .rggb10: .bayer(.rggb, bits: 10)
        case .bggr12: .bayer(.bggr, bits: 12)
        case .gbrg12: .bayer(.gbrg, bits: 12)
        case .grbg12: .bayer(.grbg, bits: 12)
        case .rggb12: .bayer(.rggb, bits: 12)
        case .bggr16: .bayer(.bggr, bits: 16)
        case .gbrg16: .bayer(.gbrg, bits: 16)
        case .grbg16: .bayer(.grbg, bits: 16)
        case .rggb16: .bayer(.rggb, bits: 16)
        }
    }

    /// Bytes of a packed frame of this many pixels.
    /// - Returns: nil for compressed formats, whose frames differ in length, and for sides outside 1 to 65535.
    public func byteCount(width: Int, height: Int) -> Int? {
        family.structure?.byteCount(width: width, height: height)
    }
}
