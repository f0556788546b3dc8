import CameraKit
import CaptureModel

/// A capture's format switch: its camera leaves the stream's format for the still's, and returns. It is planned when
/// the capture is armed. The session carries it out around T, whether the capture has been fired by then or not.
struct PhotoFormatSwitch: Sendable {
    /// A camera's first frames are often dark or not adjusted yet. A frame counts only if its exposure began this many
    /// intervals, and at least this time, after the first good one.
    static let settlingFrames = 3
    static let settlingTime = Duration.milliseconds(300)

    let choice: PhotoFormatChoice
    /// How long before T the stream is closed.
    let lead: Duration
    /// The longest expected time without the stream.
    let expectedGap: Duration
    /// Rings when one of the following has changed.
    let news: Alarm

    typealias Outcome = Result<[ExposedFrame], RigProblem>

    /// The progress of the switch.
    enum State: Sendable {
        /// The frames have not arrived yet.
        case planned
        /// The frames have arrived or are given up. The stream is not back.
        case returning(Outcome)
        /// The stream is back, or the first attempt to restore it has failed.
        case over(Outcome)
    }

    var state = State.planned
    /// How long the stream was away; nil if it has not been, or before it is back.
    var gap: StreamGap?

    /// The outcome; nil until the frames have arrived or are given up.
    var outcome: Outcome? {
        switch state {
        case .planned: nil
        case .returning(let outcome), .over(let outcome): outcome
        }
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// - Parameter preparation: Additional time to set the camera for the capture.
    init(_ choice: PhotoFormatChoice, reopening: ReopeningTime, preparation: Duration = .zero, clock: any TimeSource) {
        self.choice = choice
        let interval = choice.format.frameInterval
        // The frame of T may be one interval before T. The last frame that can be it is two after.
        lead = reopening.estimate + Self.settling(interval) + interval + preparation
        expectedGap = lead + interval * 2 + reopening.estimate
        news = Alarm(clock: clock)
    }

    static func settling(_ interval: Duration) -> Duration {
        max(interval * settlingFrames, settlingTime)
    }
}

/// The format for which a camera leaves its stream, so that a still can be larger than the stream's frames. It is
/// chosen only from what the camera offers.
///
/// The largest picture is chosen. If equal: the higher rate, then the camera's own compression or more bits of a sample, then no
/// conversion, then by name. The rate is the stream's, or the next slower one.
struct PhotoFormatChoice: Hashable, Sendable {
    /// The request to the camera.
    let request: FormatRequest
    /// The format of the still. Its interval is the stream's if the driver reports none.
    let format: VideoFormat
    private let rank: Int

    var size: PixelSize { PixelSize(width: format.width, height: format.height) }

    /// - Parameters:
    ///   - pixelFormat: The only allowed format; if nil, any but a mosaic, or any mosaic if the still needs one.
    ///   - needsMosaic: Whether the still needs the sensor's samples.
    ///   - limit: The limit on width and on height; nil for no limit.
    /// - Returns: nil if no offer has more pixels than the stream's frames within the limit.
    static func largest(
        of offers: [FormatOffer], beside stream: VideoFormat, pixelFormat: PixelFormat?, needsMosaic: Bool = false,
        within limit: PixelSize?
    ) -> PhotoFormatChoice? {
        let present = PixelSize(width: stream.width, height: stream.height)
        let isAllowed = { (format: PixelFormat) in
            pixelFormat.map { $0 == format } ?? (format.family.isMosaic == needsMosaic)
        }
        return offers.filter { isAllowed($0.pixelFormat) }
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
        rank =
            switch offer.pixelFormat.family {
            case _ where offer.convertedFrom != nil: 0
            case .jpeg: 2
            case .bayer(_, let bits, _): bits
            default: 1
            }
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
    /// Returns the largest number of the range within the limit; nil if all are above it. At most what a JPEG image can
    /// have.
    fileprivate func largest(within limit: Int?) -> Int? {
        let limit = min(limit ?? 65_535, 65_535)
        guard smallest > 0, largest >= smallest, smallest <= limit else { return nil }
        guard largest > limit else { return largest }
        return smallest + (limit - smallest) / step * step
    }
}

extension [IntervalOffer] {
    /// Returns the shortest interval that is not shorter than the stream's, within a hundredth; otherwise the longest
    /// offered. nil if the driver reports none.
    fileprivate func interval(beside stream: Int64) -> Int64? {
        let nearest = filter { $0.shortestNanoseconds > 0 && $0.longestNanoseconds >= $0.shortestNanoseconds }
            .map { Swift.min(Swift.max(stream, $0.shortestNanoseconds), $0.longestNanoseconds) }
        return nearest.filter { $0 >= stream - stream / 100 }.min() ?? nearest.max()
    }
}

/// The time that a camera takes from one format to another, estimated from its openings and closings so far.
struct ReopeningTime: Hashable, Sendable {
    /// Number of measurements that count.
    private static let depth = 8
    /// Limit on one measurement. With more, the lead would exceed every T that may be requested.
    private static let longest = Duration.seconds(2)
    /// Added to twice the measured time, because one measurement is not a bound.
    private static let margin = Duration.milliseconds(250)

    private var openings: [Duration] = []
    private var closings: [Duration] = []

    /// Notes the time from the request to open until the first good frame.
    mutating func noteOpening(_ duration: Duration) {
        openings = (openings + [min(duration, Self.longest)]).suffix(Self.depth)
    }

    /// Notes the time from the request to close until the device was free.
    mutating func noteClosing(_ duration: Duration) {
        closings = (closings + [min(duration, Self.longest)]).suffix(Self.depth)
    }

    /// Twice the longest recent closing and opening, and a quarter of a second.
    var estimate: Duration {
        ((openings.max() ?? .zero) + (closings.max() ?? .zero)) * 2 + Self.margin
    }
}
