public import CaptureModel

import class PosixSupport.Locked

/// A node's estimate of rig time from probes; see `docs/design/time.md`.
///
/// Only the exchange with the smallest round trip of each burst counts. The first exchange is ignored, because it pays
/// for cold caches. Of the bursts of the last minute, the one with the smallest bound at the requested instant gives the
/// answer. A fast exchange therefore stays in use during congestion until its age makes it worse. The type is pure: the
/// caller supplies all instants.
public struct ClockEstimator: Sendable {
    /// Bursts that are older than this, compared with the newest, are removed.
    public static let window: Duration = .seconds(60)
    /// The largest number of bursts kept, whatever their stamps are.
    public static let largestHistory = 160

    public private(set) var clockID: RigClockID?
    public private(set) var counters = ClockCounters()
    /// Whether the machine has slept since the last ``restart(at:)``, so that probes do not count.
    public private(set) var isHeld = false
    /// Probes sent before this instant do not count.
    private var earliest = LocalTime(nanoseconds: .min)
    private var timeSlept: Duration?
    /// Oldest first.
    private var bursts: [Burst] = []

    private struct Burst: Sendable {
        var id: UInt64
        var best: ClockSighting
    }

    public init() {}

    /// Adds a probe that returned.
    /// - Parameters:
    ///   - ticket: The ID that ``ProbeSchedule`` gave with the probe.
    ///   - clock: The rig time line that the reply names. If it differs from the previous one, all earlier probes are
    ///     removed.
    public mutating func add(_ probe: ClockProbe, ticket: ProbeID, clock: RigClockID) {
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

    /// Notes the total time that this machine has been suspended.
    ///
    /// If the total has grown, everything is removed: the local clock stopped while the rig's clock continued, so
    /// nothing known is valid. Probes count again after ``restart(at:)``, so that owners of earlier local instants can
    /// drop them first.
    public mutating func note(timeSlept: Duration) {
        let isNews = self.timeSlept.map { timeSlept - $0 > SuspensionDetector.sleepTolerance * 2 } ?? false
        if isNews || self.timeSlept == nil { self.timeSlept = timeSlept }
        guard isNews else { return }
        counters.suspensions += 1
        isHeld = true
        forget()
    }

    /// Starts again, with probes that are sent from `now` on.
    public mutating func restart(at now: LocalTime) {
        isHeld = false
        earliest = now
        forget()
    }

    private mutating func forget() {
        bursts = []
        clockID = nil
    }

    /// Returns the rig time at a local instant, past or future; nil before the first usable probe.
    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        guard let best = best(at: local.nanoseconds) else { return nil }
        return BoundedRigTime(
            time: RigTime(nanoseconds: local.nanoseconds.saturatingSum(best.offset)),
            bound: .nanoseconds(best.bound(at: local.nanoseconds)))
    }

    /// Returns the local instant of a rig time. Its error is within the bound that `rigTime(at:)` gives there.
    public func localTime(at rig: RigTime) -> LocalTime? {
        guard let newest = bursts.last?.best else { return nil }
        // Which burst is best depends on the local instant. The newest burst gives it accurately enough.
        let near = rig.nanoseconds.saturatingSum(0 &- newest.offset)
        return best(at: near).map { LocalTime(nanoseconds: rig.nanoseconds.saturatingSum(0 &- $0.offset)) }
    }

    /// The smallest round trip of the newest burst.
    public var newestRoundTrip: Duration? { bursts.last.map { .nanoseconds($0.best.roundTrip) } }

    /// The smallest round trip of all bursts in the window.
    public var smallestRoundTrip: Duration? { bursts.map(\.best.roundTrip).min().map { .nanoseconds($0) } }

    private func best(at local: Int64) -> ClockSighting? {
        // If bounds are equal, the newer burst wins, because its rate has had less time to differ.
        bursts.reversed().map(\.best).min { $0.bound(at: local) < $1.bound(at: local) }
    }

    private mutating func restart(_ clock: RigClockID) {
        if clockID != nil { counters.restarts += 1 }
        clockID = clock
        bursts = []
    }

    /// Removes the earlier bursts that contradict a probe. Two probes that cannot both be true mean that an assumption
    /// broke: a suspend, or a clock that stepped. The earlier ones are from before that.
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

/// A node's estimate of rig time. The clock service feeds it, and the frame paths query it. Safe from any thread; a
/// call holds a lock for microseconds.
///
/// Each call first checks whether the machine has slept, so that even the first call after a sleep does not use
/// outdated data; see ``ClockEstimator/note(timeSlept:)``.
public final class RigClockEstimate: RigTimeSource, Sendable {
    private let estimator: Locked<ClockEstimator>
    private let clock: any TimeSource

    /// - Parameter clock: The local clock of the probes.
    public init(clock: any TimeSource) {
        self.clock = clock
        var estimator = ClockEstimator()
        estimator.note(timeSlept: clock.timeSlept())
        self.estimator = Locked(estimator)
    }

    /// Adds a probe that returned; see ``ClockEstimator/add(_:ticket:clock:)``.
    public func add(_ probe: ClockProbe, ticket: ProbeID, clock: RigClockID) {
        withEstimator { $0.add(probe, ticket: ticket, clock: clock) }
    }

    /// Starts again after a sleep of this machine; see ``ClockEstimator/restart(at:)``.
    public func restart() {
        withEstimator { $0.restart(at: clock.now()) }
    }

    /// Whether the machine has slept and ``restart()`` has not been called yet.
    public var isHeld: Bool {
        withEstimator { $0.isHeld }
    }

    public var clockID: RigClockID? {
        withEstimator { $0.clockID }
    }

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        withEstimator { $0.rigTime(at: local) }
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        withEstimator { $0.localTime(at: rig) }
    }

    /// The complete state at one instant, for status and metrics.
    public var snapshot: ClockEstimator {
        withEstimator { $0 }
    }

    private func withEstimator<Result: Sendable>(_ body: (inout ClockEstimator) -> Result) -> Result {
        estimator.withLock { estimator in
            // Read under the lock, so that no call uses an older reading than the previous call.
            estimator.note(timeSlept: clock.timeSlept())
            return body(&estimator)
        }
    }
}
