public import CaptureModel

/// A node's estimate of rig time from probes: the first form of `docs/design/time.md`.
///
/// Of each burst the exchange with the smallest round trip counts, without the first, which pays for cold caches. Of
/// the bursts of the last minute, the one with the smallest bound at the asked instant answers: a fast exchange stands
/// through a congested minute until its age makes it worse. Pure; all instants come from its caller.
public struct ClockEstimator: Sendable {
    /// Bursts that were made longer ago than this, seen from the newest, are forgotten.
    public static let window: Duration = .seconds(60)
    /// Bursts kept at most, whatever their stamps say.
    public static let largestHistory = 160

    public private(set) var clockID: RigClockID?
    public private(set) var counters = ClockCounters()
    /// Whether the machine has slept since the last ``restart(at:)``, and probes do not count.
    public private(set) var isHeld = false
    /// Probes sent before do not count.
    private var earliest = LocalTime(nanoseconds: .min)
    private var timeSlept: Duration?
    /// Oldest first.
    private var bursts: [Burst] = []

    private struct Burst: Sendable {
        var id: UInt64
        var best: ClockSighting
    }

    public init() {}

    /// Takes a probe that came back.
    /// - Parameters:
    ///   - ticket: as ``ProbeSchedule`` gave it with the probe.
    ///   - clock: the rig time line the reply names; another than before forgets all earlier probes.
    public mutating func add(_ probe: ClockProbe, ticket: ProbeTicket, clock: RigClockID) {
        guard !isHeld, probe.sent >= earliest, let sighting = ClockSighting(probe) else {
            counters.rejected += 1
            return
        }
        if clock != clockID { restart(clock) }
        guard ticket.position > 0 else { return }
        counters.accepted += 1
        discardContradicted(by: sighting)
        insert(sighting, burst: ticket.burst)
    }

    /// Notes how long this machine has been suspended, all in all. Where it is longer than before, everything is
    /// forgotten: the local clock stood still while the rig's went on, so nothing known holds any more. Probes count again
    /// from ``restart(at:)`` on, so that whoever holds local instants of before can let go of them first.
    public mutating func note(timeSlept: Duration) {
        let isNews = self.timeSlept.map { timeSlept - $0 > SuspensionDetector.sleepTolerance * 2 } ?? false
        if isNews || self.timeSlept == nil { self.timeSlept = timeSlept }
        guard isNews else { return }
        counters.suspensions += 1
        isHeld = true
        forget()
    }

    /// Begins anew, with probes that are sent from `now` on.
    public mutating func restart(at now: LocalTime) {
        isHeld = false
        earliest = now
        forget()
    }

    private mutating func forget() {
        bursts = []
        clockID = nil
    }

    /// The rig time at a local instant, past or future; nil before the first usable probe.
    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        guard let best = best(at: local.nanoseconds) else { return nil }
        return BoundedRigTime(
            time: RigTime(nanoseconds: local.nanoseconds.saturatingSum(best.offset)),
            bound: .nanoseconds(best.bound(at: local.nanoseconds)))
    }

    /// The local instant of a rig time; its error is within the bound that `rigTime(at:)` gives there.
    public func localTime(at rig: RigTime) -> LocalTime? {
        guard let newest = bursts.last?.best else { return nil }
        // Which burst is best depends on the local instant, which the newest burst tells well enough.
        let near = rig.nanoseconds.saturatingSum(0 &- newest.offset)
        return best(at: near).map { LocalTime(nanoseconds: rig.nanoseconds.saturatingSum(0 &- $0.offset)) }
    }

    /// The smallest round trip of the newest burst.
    public var newestRoundTrip: Duration? { bursts.last.map { .nanoseconds($0.best.roundTrip) } }

    /// The smallest round trip of all bursts of the window.
    public var smallestRoundTrip: Duration? { bursts.map(\.best.roundTrip).min().map { .nanoseconds($0) } }

    private func best(at local: Int64) -> ClockSighting? {
        // Of equal bounds the newer, whose rate has had less time to differ.
        bursts.reversed().map(\.best).min { $0.bound(at: local) < $1.bound(at: local) }
    }

    private mutating func restart(_ clock: RigClockID) {
        if clockID != nil { counters.restarts += 1 }
        clockID = clock
        bursts = []
    }

    /// Two probes that cannot both be true mean that an assumption broke: a suspend, or a clock that stepped. The
    /// older ones are of the time before.
    private mutating func discardContradicted(by sighting: ClockSighting) {
        guard bursts.contains(where: { !$0.best.isConsistent(with: sighting) }) else { return }
        bursts.removeAll { !$0.best.isConsistent(with: sighting) }
        counters.inconsistencies += 1
    }

    private mutating func insert(_ sighting: ClockSighting, burst id: UInt64) {
        guard let last = bursts.last, last.id == id else {
            bursts.append(Burst(id: id, best: sighting))
            return forgetOld()
        }
        if sighting.roundTrip < last.best.roundTrip { bursts[bursts.count - 1].best = sighting }
    }

    private mutating func forgetOld() {
        guard let newest = bursts.map(\.best.returned).max() else { return }
        let oldest = newest.saturatingSum(0 - Self.window.nanoseconds)
        bursts.removeAll { $0.best.returned < oldest }
        if bursts.count > Self.largestHistory { bursts.removeFirst(bursts.count - Self.largestHistory) }
    }
}
