import CameraKit
import CaptureModel

/// Which format a camera leaves its stream for, so that a still can be larger than the stream's frames; decided from what
/// the camera offers alone.
///
/// The largest picture is taken; of equally large ones the one that comes at the higher rate, then what the camera
/// compresses itself, then what needs no conversion, then by name. The rate is the stream's, else the next slower one.
struct PhotoFormatChoice: Hashable, Sendable {
    /// What to ask the camera for.
    let request: FormatRequest
    /// What the still will be of; its interval is the stream's where the driver tells none.
    let format: VideoFormat
    private let rank: Int

    var size: PixelSize { PixelSize(width: format.width, height: format.height) }

    /// - Parameters:
    ///   - pixelFormat: The only one that counts; any but a mosaic where nil.
    ///   - limit: Neither width nor height may be beyond it; nil for no limit.
    /// - Returns: nil where nothing on offer has more pixels than the stream's frames and keeps to the limit.
    static func largest(
        of offers: [FormatOffer], beside stream: VideoFormat, pixelFormat: PixelFormat?, within limit: PixelSize?
    ) -> PhotoFormatChoice? {
        let present = PixelSize(width: stream.width, height: stream.height)
        return offers.filter { pixelFormat == nil ? !$0.pixelFormat.family.isMosaic : $0.pixelFormat == pixelFormat }
            .flatMap { offer in offer.sizes.compactMap { PhotoFormatChoice(offer, $0, stream, limit) } }
            .filter { $0.size.pixelCount > present.pixelCount }
            .max { $0.isWorse(than: $1) }
    }

    private init?(_ offer: FormatOffer, _ sizes: SizeOffer, _ stream: VideoFormat, _ limit: PixelSize?) {
        guard let width = sizes.widths.largest(within: limit?.width),
            let height = sizes.heights.largest(within: limit?.height)
        else { return nil }
        let interval = sizes.intervals.interval(beside: stream.frameIntervalNanoseconds)
        request = FormatRequest(
            pixelFormat: offer.pixelFormat, width: width, height: height,
            framesPerSecond: interval.map { 1e9 / Double($0) })
        format = VideoFormat(
            pixelFormat: offer.pixelFormat, width: width, height: height,
            frameInterval: .nanoseconds(interval ?? stream.frameIntervalNanoseconds))
        rank = offer.convertedFrom != nil ? 0 : offer.pixelFormat == .mjpeg ? 2 : 1
    }

    private func isWorse(than other: PhotoFormatChoice) -> Bool {
        if size.pixelCount != other.size.pixelCount { return size.pixelCount < other.size.pixelCount }
        let intervals = (format.frameIntervalNanoseconds, other.format.frameIntervalNanoseconds)
        if intervals.0 != intervals.1 { return intervals.0 > intervals.1 }
        if rank != other.rank { return rank < other.rank }
        return format.pixelFormat.rawValue > other.format.pixelFormat.rawValue
    }
}

extension PixelRange {
    /// The largest number of the range that is not above the limit; nil where all are. No more than a JPEG image can have.
    fileprivate func largest(within limit: Int?) -> Int? {
        let limit = min(limit ?? 65_535, 65_535)
        guard smallest > 0, largest >= smallest, smallest <= limit else { return nil }
        guard largest > limit else { return largest }
        return smallest + (limit - smallest) / step * step
    }
}

extension [IntervalOffer] {
    /// The shortest interval that is not shorter than the stream's, up to a hundredth; else the longest on offer. nil where
    /// the driver tells none.
    fileprivate func interval(beside stream: Int64) -> Int64? {
        let nearest = filter { $0.shortestNanoseconds > 0 && $0.longestNanoseconds >= $0.shortestNanoseconds }
            .map { Swift.min(Swift.max(stream, $0.shortestNanoseconds), $0.longestNanoseconds) }
        return nearest.filter { $0 >= stream - stream / 100 }.min() ?? nearest.max()
    }
}
