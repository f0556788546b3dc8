import CameraKit
import CaptureModel

/// Turns what is known of a program's pictures into mid-exposures with bounds.
///
/// | known | mid-exposure | bound |
/// |---|---|---|
/// | arrival | as ``ArrivalStamps`` | |
/// | start of exposure, told by the program | start + exposure / 2 + latency offset | uncertainty, or the ``ExposureLimit`` if nothing was measured |
///
/// If a told exposure is unknown, it counts as zero, and half the limit is added to the bound. So is the told bound of the start. Instants rise
/// from picture to picture.
struct ProgramStamps: Sendable {
    /// A told exposure is of another clock if it began longer ago than this, or ended after the arrival.
    static let oldest = Duration.seconds(10)

    private var arrivals: ArrivalStamps
    private var limit: ExposureLimit

    /// - Parameter start: When the program was started.
    init(_ correction: StampCorrection, largestLatency: Duration, interval: Duration, start: LocalTime) {
        arrivals = ArrivalStamps(correction, largestLatency: largestLatency)
        limit = ExposureLimit(stated: interval, start: start)
    }

    /// Returns the stamp of a picture of which only the arrival is known.
    mutating func stamp(of arrival: Arrival) -> FrameStamp { arrivals.stamp(of: arrival) }

    /// Returns the stamp of a picture whose start of exposure the program tells; nil if that is of another clock.
    /// - Parameter skipped: The pictures that the camera lost before it.
    mutating func stamp(of time: FrameTime, skipped: UInt64, arrival: Arrival) -> FrameStamp? {
        let age = arrival.instant - time.start
        guard age >= time.exposure ?? .zero, age <= Self.oldest else { return nil }
        let longest = limit.next(
            stamp: time.start, isStartOfExposure: true, skipped: skipped, dequeued: arrival.instant)
        let correction = arrivals.correction
        let uncertainty = correction.uncertainty ?? longest
        let spread = time.exposure == nil ? longest / 2 : .zero
        let middle = time.start + (time.exposure ?? .zero) / 2 + correction.latencyOffset
        return arrivals.rising(
            FrameStamp(
                midExposure: middle, bound: uncertainty + spread + time.bound,
                isCorrected: correction.uncertainty != nil))
    }
}
