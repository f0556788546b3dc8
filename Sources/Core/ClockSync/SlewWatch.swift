import CaptureModel

/// Finds out when the clock of the node or of the coordinator begins or ceases to be slewed, as NTP does, so that its rate changes by
/// more than ``ClockAssumptions`` allow.
struct SlewWatch: Sendable {
    private var node = SlewedClock()
    private var coordinator = SlewedClock()

    /// - Returns: Whether the rate of one of the clocks has changed by more than is assumed, since an earlier probe.
    mutating func note(_ probe: ClockProbe) -> Bool {
        let ofNode = node.note(probe.nodeSlewed, at: probe.returned.nanoseconds)
        let ofCoordinator = coordinator.note(probe.coordinatorSlewed, at: probe.replied.nanoseconds)
        return ofNode || ofCoordinator
    }
}

/// The rate at which a clock is slewed, from readings of by how much it was.
private struct SlewedClock {
    /// Between readings that are compared, seconds: less than a usual interval of bursts, and long enough for the readings' error.
    private static let leastInterval = 0.4
    /// Of two readings together, nanoseconds.
    private static let readingError = 400.0
    /// The part of the rate that may change at once is that of both clocks together.
    private static let largestStep = ClockAssumptions.rateStep / 2

    private var last: (instant: Int64, slewed: Int64)?
    /// The rate that is relied on, nanoseconds per second. It follows the measured one as fast as a rate may change.
    private var rate: Double?

    /// - Parameters:
    ///   - slewed: nil if it is not known.
    ///   - instant: On the clock itself, nanoseconds.
    mutating func note(_ slewed: Duration?, at instant: Int64) -> Bool {
        guard let slewed = slewed?.nanoseconds else { return false }
        guard let last, instant > last.instant else {
            self.last = (instant, slewed)
            return false
        }
        let elapsed = instant.difference(from: last.instant) * 1e-9
        guard elapsed >= Self.leastInterval else { return false }
        self.last = (instant, slewed)
        let measured = slewed.difference(from: last.slewed) / elapsed
        guard let rate, abs(measured - rate) <= Self.largestStep + Self.readingError / elapsed else {
            defer { rate = measured }
            return rate != nil
        }
        let following = ClockAssumptions.rateDrift / 2 * elapsed
        self.rate = rate + min(max(measured - rate, -following), following)
        return false
    }
}
