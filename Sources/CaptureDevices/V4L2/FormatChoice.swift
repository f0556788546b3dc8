import CaptureModel
import Video4Linux

/// What a camera offers, and which of it suits a request. Pure: the device was asked before.
struct FormatChoice: Hashable, Sendable {
    var format: FourCC
    var pixelFormat: PixelFormat
    var width: UInt32
    var height: UInt32

    /// One pixel format on offer with its sizes; no sizes where the driver does not tell them.
    struct Offer: Hashable, Sendable {
        var format: FourCC
        var sizes: [FrameSizes]

        /// The pixel format in the rig's words; nil for one that cannot be captured.
        var pixelFormat: PixelFormat? {
            switch format {
            case .mjpeg, .jpeg: .mjpeg
            case .yuyv: .yuyv
            default: nil
            }
        }
    }

    /// Where the request leaves the size open: the largest on offer within these bounds.
    private static let openWidth: UInt32 = 1920
    private static let openHeight: UInt32 = 1080

    /// Chooses: MJPEG before YUYV where the request leaves it open, the exact size where it names one.
    /// - Throws: A sentence that lists what is on offer.
    static func choose(_ request: FormatRequest, from offers: [Offer]) throws(Unsupported) -> FormatChoice {
        let usable = offers.filter { $0.pixelFormat != nil }
        for pixelFormat in [PixelFormat.mjpeg, .yuyv] where request.pixelFormat ?? pixelFormat == pixelFormat {
            for offer in usable where offer.pixelFormat == pixelFormat {
                if let (width, height) = size(request, in: offer) {
                    return FormatChoice(format: offer.format, pixelFormat: pixelFormat, width: width, height: height)
                }
            }
        }
        throw Unsupported(request, offers)
    }

    private static func size(_ request: FormatRequest, in offer: Offer) -> (UInt32, UInt32)? {
        let width = request.width.map { UInt32(clamping: $0) }
        let height = request.height.map { UInt32(clamping: $0) }
        if offer.sizes.isEmpty { return (width ?? 640, height ?? 480) }
        let candidates = offer.sizes.compactMap { sizes -> (UInt32, UInt32)? in
            guard let candidateWidth = fit(width, sizes.widths, within: openWidth),
                let candidateHeight = fit(height, sizes.heights, within: openHeight)
            else { return nil }
            return (candidateWidth, candidateHeight)
        }
        return candidates.max { UInt64($0.0) * UInt64($0.1) < UInt64($1.0) * UInt64($1.1) }
    }

    private static func fit(_ wish: UInt32?, _ range: SteppedRange, within limit: UInt32) -> UInt32? {
        guard let wish else { return range.largest(notAbove: limit) }
        return range.contains(wish) ? wish : nil
    }
}
