import CameraKit
import CaptureModel
import RigConfiguration

/// When the first byte of a picture arrived.
struct Arrival: Hashable, Sendable {
    /// Not before it.
    var instant: LocalTime
    /// How long the byte may have waited in the pipe.
    var delay: Duration
}

/// Turns what is known of a program's pictures into mid-exposures with bounds.
///
/// | known | mid-exposure | bound |
/// |---|---|---|
/// | arrival, latency not measured | arrival + latency offset, which is usually 0 | to the farther end of the largest latency |
/// | arrival, latency measured | arrival + latency offset | uncertainty |
/// | start of exposure, told by the program | start + exposure / 2 + latency offset | uncertainty, or the ``ExposureLimit`` if nothing was measured |
///
/// An arrival's delay counts by half in all of these. If a told exposure is unknown, it counts as zero, and half the limit is added to the bound.
/// Instants rise from picture to picture, as those of other cameras: one that would not is a nanosecond after the one before, with a bound
/// that is wider by the difference.
struct CommandStamps: Sendable {
    struct Stamp: Hashable, Sendable {
        var midExposure: LocalTime
        var bound: Duration
    }

    /// A told exposure is of another clock if it began longer ago than this, or ended after the arrival.
    static let oldest = Duration.seconds(10)

    private let correction: StampCorrection
    private let largestLatency: Duration
    private var limit: ExposureLimit
    private var last: LocalTime?

    /// - Parameter start: When the program was started.
    init(_ correction: StampCorrection, largestLatency: Duration, interval: Duration, start: LocalTime) {
        self.correction = correction
        self.largestLatency = largestLatency
        limit = ExposureLimit(stated: interval, start: start)
    }

    /// Returns the stamp of a picture of which only the arrival is known.
    mutating func stamp(of arrival: Arrival) -> Stamp {
        let half = arrival.delay / 2
        let (offset, error) = latency
        return rising(Stamp(midExposure: arrival.instant - half + offset, bound: error + half))
    }

    /// The offset from an arrival to its mid-exposure, and its largest error.
    private var latency: (offset: Duration, error: Duration) {
        let offset = correction.latencyOffset
        return (offset, correction.uncertainty ?? max((largestLatency + offset).magnitude, offset.magnitude))
    }

    /// Returns the stamp of a picture whose start of exposure the program tells; nil if that is of another clock.
    /// - Parameter skipped: The pictures that the camera lost before it.
    mutating func stamp(of time: FrameTime, skipped: UInt64, arrival: Arrival) -> Stamp? {
        let age = arrival.instant - time.start
        guard age >= time.exposure ?? .zero, age <= Self.oldest else { return nil }
        let longest = limit.next(
            stamp: time.start, isStartOfExposure: true, skipped: skipped, dequeued: arrival.instant)
        let uncertainty = correction.uncertainty ?? longest
        let spread = time.exposure == nil ? longest / 2 : .zero
        let middle = time.start + (time.exposure ?? .zero) / 2 + correction.latencyOffset
        return rising(Stamp(midExposure: middle, bound: uncertainty + spread))
    }

    private mutating func rising(_ stamp: Stamp) -> Stamp {
        var stamp = stamp
        if let last, stamp.midExposure <= last {
            let next = last + .nanoseconds(1)
            stamp = Stamp(midExposure: next, bound: stamp.bound + (next - stamp.midExposure))
        }
        last = stamp.midExposure
        return stamp
    }
}
