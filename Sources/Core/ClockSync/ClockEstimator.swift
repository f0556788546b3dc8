public import CaptureModel

/// A node's estimate of rig time from probes; see `docs/design/time.md`.
///
/// The bound is proven: it contains every rig time that the probes and ``ClockAssumptions`` leave possible, whatever
/// the network did. The estimate is the most likely of them. The first exchange of a burst is ignored, because it pays
/// for cold caches. What PTP or NTP says of both clocks narrows the bound as long as the probes do not contradict it.
/// The type is pure: the caller supplies all instants.
public struct ClockEstimator: Sendable {
    /// A burst that takes longer than this, in seconds, counts as several.
    private static let longestBurst = 1.0

    public private(set) var clockID: RigClockID?
    public private(set) var counters = ClockCounters()
    /// Whether the machine has slept since the last ``restart(at:)``, so that probes do not count.
    public private(set) var isHeld = false
    /// Probes sent before this instant do not count.
    private var earliest = LocalTime(nanoseconds: .min)
    private var timeSlept: Duration?
    private var slews = SlewWatch()
    private var discipline = DisciplineJudge()
    /// nil before the first usable probe.
    private var knowledge: Knowledge?

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
        if slews.note(probe) {
            // What earlier probes prove of the present relies on a rate that has ended.
            counters.slews += 1
            knowledge = nil
            discipline.settle(from: sighting.returned)
        }
        learn(sighting, burst: ticket.burst)
        discipline.note(coordinator: probe.coordinatorDiscipline)
        compare()
    }

    /// Notes how the node's clock is kept in step, which counts from the next probe on; nil if that is not known.
    public mutating func note(_ reading: DisciplinedClock<LocalTimeBase>?) {
        discipline.note(node: reading)
    }

    private mutating func learn(_ sighting: ClockSighting, burst: UInt64) {
        knowledge?.add(sighting, burst: burst, longest: Self.longestBurst)
        guard knowledge?.isContradictory ?? true else { return }
        // Probes that cannot all be true mean that an assumption broke: a suspend, or a clock that stepped. The earlier
        // ones are from before that.
        if knowledge != nil { counters.inconsistencies += 1 }
        knowledge = Knowledge(sighting, burst: burst)
        discipline.restart(at: sighting.returned)
    }

    /// Compares what PTP or NTP says with what the probes prove.
    private mutating func compare() {
        guard let knowledge else { return }
        let verdict = discipline.judge(at: knowledge.newest, probes: knowledge.evidence)
        if verdict.isConflictNew { counters.conflicts += 1 }
        self.knowledge?.use(verdict.usable)
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
        knowledge = nil
        discipline.note(node: nil)
        slews = SlewWatch()
        clockID = nil
    }

    private mutating func restart(_ clock: RigClockID) {
        if clockID != nil { counters.restarts += 1 }
        clockID = clock
        discipline.forgetCoordinator()
        slews = SlewWatch()
        knowledge = nil
    }

    /// Returns the rig time at a local instant, past or future; nil before the first usable probe.
    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        knowledge?.rigTime(at: local)
    }

    /// Returns the local instant of a rig time. Its error is within the bound that `rigTime(at:)` gives there.
    public func localTime(at rig: RigTime) -> LocalTime? {
        knowledge?.localTime(at: rig)
    }

    /// What people want to know of the estimate; nil before the first usable probe.
    public var status: ClockStatus? { knowledge?.status(discipline.conflict) }

    /// What the probes since the last reset say.
    private struct Knowledge: Sendable {
        /// What all offsets are relative to, nanoseconds.
        private let base: Int64
        private let start: Int64
        private var burst: UInt64
        private var region: ClockRegion
        private var trend = ClockTrend()
        private var congestion: CongestionWatch
        /// Local, nanoseconds.
        private(set) var newest: Int64
        /// What PTP or NTP says of the offset, if the probes do not contradict it.
        private var claim: ClaimedOffset?
        /// The most likely offset at the region's reference, and its rate.
        private var offset = 0.0
        private var rate = 0.0

        init(_ sighting: ClockSighting, burst: UInt64) {
            base = sighting.offset
            start = sighting.returned
            newest = sighting.returned
            self.burst = burst
            let (least, most) = (sighting.least(relativeTo: base), sighting.most(relativeTo: base))
            region = ClockRegion(at: sighting.returned, least: least, most: most)
            trend.begin(least: least, most: most)
            congestion = CongestionWatch(sighting.roundTrip, at: sighting.returned)
            estimate()
        }

        var isContradictory: Bool { region.isEmpty }

        mutating func add(_ sighting: ClockSighting, burst: UInt64, longest: Double) {
            let (least, most) = (sighting.least(relativeTo: base), sighting.most(relativeTo: base))
            let age = sighting.returned.difference(from: region.reference) * 1e-9
            newest = max(newest, sighting.returned)
            if burst == self.burst, age < longest {
                congestion.add(sighting.roundTrip)
                guard region.add(least: least, most: most) else { return }
                trend.add(least: least, most: most)
            } else {
                self.burst = burst
                region.begin(at: max(region.reference, sighting.returned), least: least, most: most)
                trend.begin(least: least, most: most)
                congestion.begin(sighting.roundTrip, at: sighting.returned)
            }
            if !region.isEmpty { estimate() }
        }

        func status(_ conflict: ClockConflict?) -> ClockStatus {
            ClockStatus(
                offset: .nanoseconds(offset(at: newest)), ratePartsPerBillion: Int64(saturating: rate),
                roundTrip: .nanoseconds(congestion.median), shortestRoundTrip: .nanoseconds(congestion.shortest),
                source: ClockStatus.Source(narrowing), since: rigTime(at: start),
                newest: rigTime(at: newest), congestedSince: congestion.since.map(rigTime(at:)), conflict: conflict)
        }

        /// What makes the bound smaller than what the probes prove; nil if nothing does.
        private var narrowing: ClockReference.Source? {
            let (proven, known) = (region.extent(after: 0), extent(at: region.reference))
            return known.most - known.least < proven.most - proven.least ? claim?.reference.source : nil
        }

        /// What a claim is compared with.
        var evidence: DisciplineJudge.Probes {
            DisciplineJudge.Probes(
                localTime: { localTime(at: $0).nanoseconds }, rigNow: rigTime(at: newest),
                contradiction: contradiction(of:))
        }

        /// Returns what is proven of the offset, if it has nothing in common with what a claim leads to.
        private func contradiction(of claim: ClaimedOffset) -> ClockConflict.Statement? {
            let (proven, claimed) = (region.extent(after: 0), extent(of: claim, at: region.reference))
            guard claimed.least > proven.most || claimed.most < proven.least else { return nil }
            let middle = base.saturatingSum(Int64(saturating: (proven.least + proven.most) / 2))
            return ClockConflict.Statement(
                offset: .nanoseconds(middle), bound: .nanoseconds(Int64(saturating: (proven.most - proven.least) / 2)))
        }

        mutating func use(_ claim: ClaimedOffset?) {
            guard claim != self.claim else { return }
            self.claim = claim
            estimate()
        }

        /// Returns the least and the largest offset at a local instant by a claim, at the rates that the probes prove.
        private func extent(of claim: ClaimedOffset, at local: Int64) -> (least: Double, most: Double) {
            let change = region.change(from: claim.instant, to: local)
            let offset = claim.offset.difference(from: base)
            return (offset - claim.bound + change.least, offset + claim.bound + change.most)
        }

        /// Returns the least and the largest offset at a local instant: by the probes, and within that by the claim.
        private func extent(at local: Int64) -> (least: Double, most: Double) {
            let proven = region.extent(after: local.difference(from: region.reference) * 1e-9)
            guard let claim else { return proven }
            let claimed = extent(of: claim, at: local)
            let (least, most) = (max(proven.least, claimed.least), min(proven.most, claimed.most))
            // Of a claim that the probes are about to exclude, less and less is left, and the bound would be smallest
            // where it is least likely to be true.
            let margin = min(claim.bound, proven.most - proven.least) / 2
            return most - least >= margin ? (least, most) : proven
        }

        /// While a link is congested, what is proven is closer than the tightest of the newest limits, and so may a
        /// claim be. Then its middle is the estimate.
        private mutating func estimate() {
            let (rates, known) = (region.rates, extent(at: region.reference))
            trend.limit(to: rates)
            let limits = trend.limits(at: region.reference)
            if limits.most - limits.least <= known.most - known.least {
                rate = trend.rate
                offset = min(max((limits.least + limits.most) / 2, known.least), known.most)
            } else {
                rate = narrowing == nil ? (rates.least + rates.most) / 2 : trend.rate
                offset = (known.least + known.most) / 2
            }
        }

        /// Returns the estimate of rig time minus local time at a local instant, and its largest error.
        ///
        /// What is likely may be near one end of what is possible. The farther away the instant is, the less is likelihood
        /// worth: the estimate keeps so near to the middle that its error grows by the largest rate at most.
        private func estimate(at local: Int64) -> (offset: Double, bound: Double) {
            let lead = local.difference(from: region.reference) * 1e-9
            let (now, then) = (extent(at: region.reference), extent(at: local))
            let grown = max(now.most - offset, offset - now.least) + ClockAssumptions.reach(over: lead)
            let limit = max(grown, (then.most - then.least) / 2)
            let likely = min(max(offset + lead * rate, then.most - limit), then.least + limit)
            return (likely, max(then.most - likely, likely - then.least))
        }

        /// Returns rig time minus local time at a local instant.
        private func offset(at local: Int64) -> Int64 {
            base.saturatingSum(Int64(saturating: estimate(at: local).offset))
        }

        private func rigTime(at local: Int64) -> RigTime {
            RigTime(nanoseconds: local.saturatingSum(offset(at: local)))
        }

        func rigTime(at local: LocalTime) -> BoundedRigTime {
            let (likely, bound) = estimate(at: local.nanoseconds)
            let offset = base.saturatingSum(Int64(saturating: likely))
            return BoundedRigTime(
                time: RigTime(nanoseconds: local.nanoseconds.saturatingSum(offset)),
                bound: .nanoseconds(max(0, Int64(saturating: bound.rounded(.up)))))
        }

        /// Each step shrinks the error by the rate, so that five leave less than a nanosecond of an hour's drift.
        func localTime(at rig: RigTime) -> LocalTime {
            var local = rig.nanoseconds.saturatingSum(0 &- base)
            for _ in 0..<5 { local = rig.nanoseconds.saturatingSum(0 &- offset(at: local)) }
            return LocalTime(nanoseconds: local)
        }
    }
}
