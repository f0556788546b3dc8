import CaptureModel

/// What one probe proves. Whatever the network did, the offset was at most `largestOffset` when the local clock read
/// `sent`, and at least `smallestOffset` when it read `returned`. Nanoseconds; an offset is rig time minus local time.
struct ClockSighting: Sendable {
    let sent: Int64
    let returned: Int64
    let largestOffset: Int64
    let smallestOffset: Int64

    /// - Returns: nil if the stamps cannot be from two clocks that run forward.
    init?(_ probe: ClockProbe) {
        guard probe.returned >= probe.sent, probe.replied >= probe.received else { return nil }
        let outbound = probe.received.nanoseconds.subtractingReportingOverflow(probe.sent.nanoseconds)
        let inbound = probe.replied.nanoseconds.subtractingReportingOverflow(probe.returned.nanoseconds)
        guard !outbound.overflow, !inbound.overflow else { return nil }
        let roundTrip = outbound.partialValue.subtractingReportingOverflow(inbound.partialValue)
        guard !roundTrip.overflow, roundTrip.partialValue >= 0 else { return nil }
        sent = probe.sent.nanoseconds
        returned = probe.returned.nanoseconds
        largestOffset = outbound.partialValue
        smallestOffset = inbound.partialValue
    }

    var roundTrip: Int64 { largestOffset - smallestOffset }

    /// The middle of the possible offsets.
    var offset: Int64 { smallestOffset + roundTrip / 2 }

    func most(relativeTo base: Int64) -> ClockLimit {
        ClockLimit(
            instant: sent, value: largestOffset.difference(from: base) + ClockAssumptions.resolution / 2, isUpper: true)
    }

    func least(relativeTo base: Int64) -> ClockLimit {
        ClockLimit(
            instant: returned, value: smallestOffset.difference(from: base) - ClockAssumptions.resolution / 2,
            isUpper: false)
    }
}

/// A limit of the offset at one instant.
struct ClockLimit: Sendable {
    /// Local time, nanoseconds.
    let instant: Int64
    /// Nanoseconds, relative to a base that all limits share.
    let value: Double
    /// Whether the offset was at most `value`, not at least.
    let isUpper: Bool

    /// Returns the seconds from the limit to a local instant.
    func age(at other: Int64) -> Double { other.difference(from: instant) * 1e-9 }
}

extension Int64 {
    /// Returns the difference, also where an integer cannot hold it.
    func difference(from other: Int64) -> Double {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? Double(self) - Double(other) : Double(difference)
    }

    func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Rounds, and saturates.
    init(saturating number: Double) {
        let rounded = number.rounded()
        self = rounded >= 0x1p63 ? .max : rounded <= -0x1p63 ? .min : Int64(rounded.isNaN ? 0 : rounded)
    }
}
