import CaptureModel

/// Decides whether what PTP or NTP says of the offset is used: never without probes, and never against them.
///
/// | readings of both ends | against what the probes prove | use |
/// |---|---|---|
/// | one is absent, older than 10 s or than the probes, of 10 s after a slew, or of another reference | – | none |
/// | both, comparable | no common offset | none, and a conflict begins or goes on |
/// | both, comparable | a common offset, and a contradiction within the last 60 s | none, and the conflict goes on |
/// | both, comparable | a common offset, and none | narrows the bound |
///
/// A conflict ends 60 s after the last contradiction. A value without a clock.
struct DisciplineJudge: Sendable {
    /// The age, in seconds, up to which a reading is used.
    private static let largestAge = 10.0
    /// For how long, in seconds, a claim is not used after it has contradicted the probes.
    private static let probation = 60.0
    /// For how long, in seconds, no reading counts after a clock began or ceased to be slewed.
    private static let settlingTime = 10.0

    /// What each end has last said.
    private var node: DisciplinedClock<LocalTimeBase>?
    private var coordinator: DisciplinedClock<RigTimeBase>?
    /// Readings from before this local instant do not count, nanoseconds.
    private var earliest = Int64.min
    private(set) var conflict: ClockConflict?
    /// The local instant of the last contradiction, nanoseconds.
    private var lastContradiction = Int64.min

    /// What ``judge(at:probes:)`` has found.
    struct Verdict {
        /// What narrows the bound.
        var usable: ClaimedOffset?
        /// Whether a conflict has begun.
        var isConflictNew = false
    }

    mutating func note(node reading: DisciplinedClock<LocalTimeBase>?) { node = reading }

    mutating func note(coordinator reading: DisciplinedClock<RigTimeBase>?) { coordinator = reading }

    /// Drops what was said of clocks that ran otherwise until a local instant, nanoseconds.
    mutating func restart(at instant: Int64) { earliest = max(earliest, instant) }

    /// Drops what is said of clocks one of which is slewed at a local instant, nanoseconds, until they have settled.
    /// Its program corrects an error that its last measurement may not show.
    mutating func settle(from instant: Int64) {
        restart(at: instant.saturatingSum(Int64(Self.settlingTime * 1e9)))
    }

    /// Forgets the coordinator, of which there is another one.
    mutating func forgetCoordinator() {
        coordinator = nil
        conflict = nil
        lastContradiction = .min
    }

    /// What the probes prove, for the comparison.
    struct Probes {
        /// Converts the coordinator's instants to local time, nanoseconds.
        var localTime: (RigTime) -> Int64
        /// Rig time of the present.
        var rigNow: RigTime
        /// Returns what is proven of the offset if it has nothing in common with a claim.
        var contradiction: (ClaimedOffset) -> ClockConflict.Statement?
    }

    /// - Parameter now: Local time of the newest probe, nanoseconds.
    mutating func judge(at now: Int64, probes: Probes) -> Verdict {
        let claim = claim(at: now, probes)
        if let claim, let proven = probes.contradiction(claim) {
            let isNew = conflict == nil
            conflict = ClockConflict(
                reference: claim.reference, since: conflict?.since ?? probes.rigNow,
                claimed: ClockConflict.Statement(
                    offset: .nanoseconds(claim.offset), bound: .nanoseconds(Int64(saturating: claim.bound))),
                proven: proven)
            lastContradiction = now
            return Verdict(isConflictNew: isNew)
        }
        if conflict != nil, now.difference(from: lastContradiction) * 1e-9 >= Self.probation { conflict = nil }
        return Verdict(usable: conflict == nil ? claim : nil)
    }

    private func claim(at now: Int64, _ probes: Probes) -> ClaimedOffset? {
        guard let node, let coordinator else { return nil }
        let read = (node.pair.monotonic.nanoseconds, probes.localTime(coordinator.pair.monotonic))
        guard isFresh(read.0, at: now), isFresh(read.1, at: now) else { return nil }
        return ClaimedOffset(node: node, coordinator: coordinator, coordinatorRead: read.1)
    }

    private func isFresh(_ instant: Int64, at now: Int64) -> Bool {
        instant >= earliest && abs(now.difference(from: instant)) * 1e-9 <= Self.largestAge
    }
}
