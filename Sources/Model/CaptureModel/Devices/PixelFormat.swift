/// The layout of a camera's pixel data, by its V4L2 fourcc without trailing spaces.
///
/// Frames are delivered packed: rows without unused bytes, planes one after another. ``family`` describes the samples.
/// Sizes, conversions and costs derive from it.
public enum PixelFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// Motion JPEG (`V4L2_PIX_FMT_MJPEG`): every frame is a separate JPEG image.
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
    /// 10 bit gray, each sample in the low bits of two bytes, little-endian.
    case y10 = "Y10"
    /// 12 bit gray, as ``y10``.
    case y12 = "Y12"
    /// Bytes R G B.
    case rgb24 = "RGB3"

    // Bayer mosaics, named by the first two samples of the first and second row. Samples of more than 8 bits are in the
    // low bits of two bytes, little-endian.
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
    case bggr14 = "BG14"
    case gbrg14 = "GB14"
    case grbg14 = "GR14"
    case rggb14 = "RG14"
    case bggr16 = "BYR2"
    case gbrg16 = "GB16"
    case grbg16 = "GR16"
    case rggb16 = "RG16"

    // Bayer mosaics packed as in MIPI CSI-2: the high 8 bits of 4, 2 and 4 samples, then their low bits in 1, 1 and 3 bytes.
    case bggr10Packed = "pBAA"
    case gbrg10Packed = "pGAA"
    case grbg10Packed = "pgAA"
    case rggb10Packed = "pRAA"
    case bggr12Packed = "pBCC"
    case gbrg12Packed = "pGCC"
    case grbg12Packed = "pgCC"
    case rggb12Packed = "pRCC"
    case bggr14Packed = "pBEE"
    case gbrg14Packed = "pGEE"
    case grbg14Packed = "pgEE"
    case rggb14Packed = "pREE"

    /// The kind and arrangement of the samples.
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
        case .bggr8: .bayer(.bggr, bits: 8, isPacked: false)
        case .gbrg8: .bayer(.gbrg, bits: 8, isPacked: false)
        case .grbg8: .bayer(.grbg, bits: 8, isPacked: false)
        case .rggb8: .bayer(.rggb, bits: 8, isPacked: false)
        case .bggr10: .bayer(.bggr, bits: 10, isPacked: false)
        case .gbrg10: .bayer(.gbrg, bits: 10, isPacked: false)
        case .grbg10: .bayer(.grbg, bits: 10, isPacked: false)
        case .rggb10: .bayer(.rggb, bits: 10, isPacked: false)
        case .bggr12: .bayer(.bggr, bits: 12, isPacked: false)
        case .gbrg12: .bayer(.gbrg, bits: 12, isPacked: false)
        case .grbg12: .bayer(.grbg, bits: 12, isPacked: false)
        case .rggb12: .bayer(.rggb, bits: 12, isPacked: false)
        case .bggr14: .bayer(.bggr, bits: 14, isPacked: false)
        case .gbrg14: .bayer(.gbrg, bits: 14, isPacked: false)
        case .grbg14: .bayer(.grbg, bits: 14, isPacked: false)
        case .rggb14: .bayer(.rggb, bits: 14, isPacked: false)
        case .bggr16: .bayer(.bggr, bits: 16, isPacked: false)
        case .gbrg16: .bayer(.gbrg, bits: 16, isPacked: false)
        case .grbg16: .bayer(.grbg, bits: 16, isPacked: false)
        case .rggb16: .bayer(.rggb, bits: 16, isPacked: false)
        case .bggr10Packed: .bayer(.bggr, bits: 10, isPacked: true)
        case .gbrg10Packed: .bayer(.gbrg, bits: 10, isPacked: true)
        case .grbg10Packed: .bayer(.grbg, bits: 10, isPacked: true)
        case .rggb10Packed: .bayer(.rggb, bits: 10, isPacked: true)
        case .bggr12Packed: .bayer(.bggr, bits: 12, isPacked: true)
        case .gbrg12Packed: .bayer(.gbrg, bits: 12, isPacked: true)
        case .grbg12Packed: .bayer(.grbg, bits: 12, isPacked: true)
        case .rggb12Packed: .bayer(.rggb, bits: 12, isPacked: true)
        case .bggr14Packed: .bayer(.bggr, bits: 14, isPacked: true)
        case .gbrg14Packed: .bayer(.gbrg, bits: 14, isPacked: true)
        case .grbg14Packed: .bayer(.grbg, bits: 14, isPacked: true)
        case .rggb14Packed: .bayer(.rggb, bits: 14, isPacked: true)
        }
    }

    /// Returns the bytes of a packed frame of this size.
    /// - Returns: nil for compressed formats, whose frames differ in length, and for sides outside 1 to 65535.
    public func byteCount(width: Int, height: Int) -> Int? {
        family.structure?.byteCount(width: width, height: height)
    }
}

/// How a picture is fitted into a box, in AVFoundation's words.
public enum VideoGravity: String, Hashable, Codable, Sendable, CaseIterable {
    /// The complete picture is visible; the box may stay empty at two sides (`AVLayerVideoGravity.resizeAspect`).
    case aspect
    /// The box is full; the picture may lose its edges at two sides (`AVLayerVideoGravity.resizeAspectFill`).
    case aspectFill
    /// The box is full, and all of the picture is visible: it is stretched in one direction (`AVLayerVideoGravity.resize`). The
    /// only gravity that also enlarges.
    case resize

    /// The longest side of a box for `resize`, in pixels: no picture is enlarged beyond it.
    public static let longestResizedSide = 4096
}
