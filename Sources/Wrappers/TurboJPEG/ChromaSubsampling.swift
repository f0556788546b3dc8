import CTurboJPEG

/// How coarsely the chroma planes of an image are sampled.
public enum ChromaSubsampling: String, Sendable, CaseIterable {
    /// Full resolution chroma.
    case yuv444
    /// Chroma at half width: what `YUYV` cameras deliver.
    case yuv422
    /// Chroma at half width and half height.
    case yuv420
    /// Luma only.
    case gray
    /// Chroma at half height.
    case yuv440
    /// Chroma at a quarter of the width.
    case yuv411

    var code: Int32 {
        switch self {
        case .yuv444: Int32(TJSAMP_444.rawValue)
        case .yuv422: Int32(TJSAMP_422.rawValue)
        case .yuv420: Int32(TJSAMP_420.rawValue)
        case .gray: Int32(TJSAMP_GRAY.rawValue)
        case .yuv440: Int32(TJSAMP_440.rawValue)
        case .yuv411: Int32(TJSAMP_411.rawValue)
        }
    }

    init?(code: Int32) {
        guard let match = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = match
    }
}
