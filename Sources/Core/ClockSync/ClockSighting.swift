import CaptureModel

/// What one probe proves: at `sent` the rig's clock read at most `received`, at `returned` at least `replied`. All that
/// follows for another instant follows from these two and the largest rate error, however the delay was divided.
struct ClockSighting: Sendable {
    let sent: Int64
    let returned: Int64
    /// Largest and smallest possible rig time minus local time.
    let largestOffset: Int64
    let smallestOffset: Int64

    /// - Returns: nil for stamps that cannot come from two clocks that run forward.
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

    /// Rig time minus local time at the middle of what is possible.
    var offset: Int64 { smallestOffset + roundTrip / 2 }

    /// Largest error of `offset` at a local instant: half the round trip, and the drift since the farther of the
    /// probe's two local stamps.
    func bound(at local: Int64) -> Int64 {
        let age = max(distance(local, sent), distance(local, returned))
        return roundTrip.halvedUp.saturatingSum(ClockAssumptions.drift(over: age))
    }

    /// Whether some rate within the assumptions lets both be true.
    func isConsistent(with other: ClockSighting) -> Bool {
        isPossible(after: other) && other.isPossible(after: self)
    }

    /// Whether this probe's upper limit leaves room for the other's lower one.
    private func isPossible(after other: ClockSighting) -> Bool {
        let drift = ClockAssumptions.drift(over: distance(sent, other.returned))
        return largestOffset.saturatingSum(drift) >= other.smallestOffset
    }

    private func distance(_ first: Int64, _ second: Int64) -> Int64 {
        let (difference, overflow) = first.subtractingReportingOverflow(second)
        return overflow || difference == .min ? .max : Swift.abs(difference)
    }
}

extension Int64 {
    /// Half of a non-negative number, rounded up.
    fileprivate var halvedUp: Int64 { self / 2 + self % 2 }

    func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
