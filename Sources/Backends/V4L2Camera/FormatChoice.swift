import CameraKit
import CaptureModel
import Video4Linux

/// What a camera offers, and which of it suits a request. Pure: the device was asked before.
struct FormatChoice: Hashable, Sendable {
    /// What to set the driver to, and what becomes of its frames.
    var source: DriverFormat
    var width: UInt32
    var height: UInt32

    /// One pixel format on offer with its sizes; no sizes where the driver does not tell them.
    struct Offer: Hashable, Sendable {
        var format: FourCC
        var sizes: [FrameSizes]
        /// What becomes of its frames; nil for a format that cannot be captured.
        var source: DriverFormat? { DriverFormat(format) }
    }

    /// Where the request leaves the size open: the largest on offer within these bounds.
    private static let openWidth: UInt32 = 1920
    private static let openHeight: UInt32 = 1080

    /// Chooses: by ``DriverFormat/rank`` where the request leaves the format open, as it is before converted, the exact
    /// size where the request names one.
    /// - Throws: A sentence that lists what is on offer.
    static func choose(_ request: FormatRequest, from offers: [Offer]) throws(Unsupported) -> FormatChoice {
        let usable = offers.enumerated().compactMap { place, offer in
            offer.source.map { (place: place, offer: offer, source: $0) }
        }
        let suitable = usable.filter { request.pixelFormat ?? $0.source.pixelFormat == $0.source.pixelFormat }
        for (_, offer, source) in suitable.sorted(by: { ($0.source.rank, $0.place) < ($1.source.rank, $1.place) }) {
            if let (width, height) = size(request, in: offer, of: source) {
                return FormatChoice(source: source, width: width, height: height)
            }
        }
        throw Unsupported(request, offers)
    }

    private static func size(
        _ request: FormatRequest, in offer: Offer, of source: DriverFormat
    ) -> (UInt32, UInt32)? {
        let width = request.width.map { UInt32(clamping: $0) }
        let height = request.height.map { UInt32(clamping: $0) }
        let candidates =
            offer.sizes.isEmpty
            ? [(width ?? 640, height ?? 480)]
            : offer.sizes.compactMap { sizes -> (UInt32, UInt32)? in
                guard let candidateWidth = fit(width, sizes.widths, within: openWidth),
                    let candidateHeight = fit(height, sizes.heights, within: openHeight)
                else { return nil }
                return (candidateWidth, candidateHeight)
            }
        return candidates.filter { source.takes(width: $0.0, height: $0.1) }
            .max { UInt64($0.0) * UInt64($0.1) < UInt64($1.0) * UInt64($1.1) }
    }

    private static func fit(_ wish: UInt32?, _ range: SteppedRange, within limit: UInt32) -> UInt32? {
        guard let wish else { return range.largest(notAbove: limit) }
        return range.contains(wish) ? wish : nil
    }
}
