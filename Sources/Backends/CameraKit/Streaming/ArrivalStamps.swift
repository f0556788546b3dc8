package import CaptureModel

/// When a picture, or its first byte, arrived.
package struct Arrival: Hashable, Sendable {
    /// Not before it.
    package var instant: LocalTime
    /// How long it may have waited until it was read.
    package var delay: Duration

    package init(instant: LocalTime, delay: Duration) {
        self.instant = instant
        self.delay = delay
    }
}

/// A mid-exposure and its largest error.
package struct FrameStamp: Hashable, Sendable {
    package var midExposure: LocalTime
    package var bound: Duration
    /// Whether the bound contains the uncertainty of a measured correction.
    package var isCorrected: Bool

    package init(midExposure: LocalTime, bound: Duration, isCorrected: Bool = false) {
        self.midExposure = midExposure
        self.bound = bound
        self.isCorrected = isCorrected
    }
}

/// Turns arrivals of pictures into mid-exposures with bounds.
///
/// | latency | mid-exposure | bound |
/// |---|---|---|
/// | not measured | arrival + latency offset, which is usually 0 | to the farther end of the largest latency |
/// | measured | arrival + latency offset | uncertainty |
///
/// An arrival's delay counts by half in both. Instants rise from picture to picture, as those of other cameras: one that would not is a
/// nanosecond after the one before, with a bound that is wider by the difference. Pure.
package struct ArrivalStamps: Sendable {
    package let correction: StampCorrection
    package let largestLatency: Duration
    private var last: LocalTime?

    /// - Parameter largestLatency: The longest time from a picture's mid-exposure to the arrival of its first byte.
    package init(_ correction: StampCorrection, largestLatency: Duration) {
        self.correction = correction
        self.largestLatency = largestLatency
    }

    /// Returns the stamp of a picture of which only the arrival is known.
    package mutating func stamp(of arrival: Arrival) -> FrameStamp {
        let half = arrival.delay / 2
        let offset = correction.latencyOffset
        let error = correction.uncertainty ?? max((largestLatency + offset).magnitude, offset.magnitude)
        return rising(
            FrameStamp(
                midExposure: arrival.instant - half + offset, bound: error + half,
                isCorrected: correction.uncertainty != nil))
    }

    /// Returns the stamp of the next picture, not before the one of the picture before it.
    package mutating func rising(_ stamp: FrameStamp) -> FrameStamp {
        var stamp = stamp
        if let last, stamp.midExposure <= last {
            let next = last + .nanoseconds(1)
            stamp.bound += next - stamp.midExposure
            stamp.midExposure = next
        }
        last = stamp.midExposure
        return stamp
    }
}
