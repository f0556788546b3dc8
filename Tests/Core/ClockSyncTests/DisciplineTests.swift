import CaptureModel
import CaptureTestSupport
import ClockSync
import Glibc
import Testing

/// What PTP or NTP says, beside probes that are known to be true.
@Suite struct DisciplineTests {
    private static let second: Int64 = 1_000_000_000
    private static let grandmaster = ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab")
    private static let wired = 0
    private static let asymmetric = 3

    /// What both ends say of their clocks.
    private struct Claims {
        var node = DisciplineTests.grandmaster
        var coordinator = DisciplineTests.grandmaster
        /// Of each end.
        var bound = Duration.microseconds(6)
        /// How far what they say is from the offset at the start, nanoseconds.
        var lie: Int64 = 0
        var doesNodeRead = true
        var doesCoordinatorRead = true
    }

    /// Two clocks whose offset changes by up to 10 µs, at a rate that changes as fast as is assumed.
    private func node(on link: Int, seed: UInt64 = 7) -> SimulatedNode {
        let delays = ClockEstimatorTests.links[link]
        var link = SimulatedLink(seed: seed, forward: delays.forward, backward: delays.backward)
        link.rate = { sin($0 / 5) }
        return SimulatedNode(link)
    }

    /// Runs, while the ends read their clocks each second, the coordinator half a second after the node. Ends with the
    /// first probe after that time, at most half a second late.
    private func run(_ node: inout SimulatedNode, seconds: Int, _ claims: Claims) {
        let start = node.link.now
        for second in 0..<seconds {
            if claims.doesNodeRead { node.estimator.note(reading(of: node, claims)) }
            node.run(until: start + .milliseconds(second * 1000 + 500))
            if claims.doesCoordinatorRead {
                let rig = node.link.rig
                node.link.coordinatorDiscipline = DisciplinedClock(
                    reference: claims.coordinator, bound: claims.bound,
                    pair: WallClockPair(
                        monotonic: rig,
                        realtimeNanoseconds: rig.nanoseconds - node.link.offset - claims.lie + Self.epoch))
            }
            node.run(until: start + .milliseconds(second * 1000 + 1000))
        }
    }

    private func reading(of node: SimulatedNode, _ claims: Claims) -> DisciplinedClock<LocalTimeBase> {
        let now = node.link.now
        return DisciplinedClock(
            reference: claims.node, bound: claims.bound,
            pair: WallClockPair(monotonic: now, realtimeNanoseconds: now.nanoseconds + Self.epoch))
    }

    private static let epoch: Int64 = 1_800_000_000 * second

    /// Checks that the truth is within the bound, at the present, ahead and in the past.
    private func checkTruth(_ node: SimulatedNode) throws {
        for ahead in [0, Self.second, 5 * Self.second] {
            let (error, bound) = try #require(node.error(ahead: ahead))
            #expect(error.magnitude <= bound, "\(ahead) ns ahead")
        }
    }

    /// Checks that an estimate is the one of a node to which nobody says anything.
    private func checkEqual(_ node: SimulatedNode, _ silent: SimulatedNode) {
        #expect(node.link.now == silent.link.now)
        for ahead in [-Self.second, 0, Self.second] {
            let instant = node.link.now + .nanoseconds(ahead)
            #expect(node.estimator.rigTime(at: instant) == silent.estimator.rigTime(at: instant))
        }
        #expect(node.estimator.status?.source == .probes)
    }

    @Test("Narrows the bound by what PTP says, with the true rig time within it", arguments: 0..<6)
    func narrowing(link: Int) throws {
        var (told, silent) = (node(on: link), node(on: link))
        for _ in 0..<40 {
            run(&told, seconds: 1, Claims())
            silent.run(until: told.link.now)
            try checkTruth(told)
        }
        let (narrowed, proven) = (try #require(told.error), try #require(silent.error))
        #expect(narrowed.bound < proven.bound)
        #expect(told.estimator.status?.source == .ptp && silent.estimator.status?.source == .probes)
        #expect(told.estimator.status?.conflict == nil && told.estimator.counters.conflicts == 0)
    }

    @Test("Is ten times more exact with PTP on a link with different delays of both directions") func asymmetry()
        throws
    {
        var (told, silent) = (node(on: Self.asymmetric), node(on: Self.asymmetric))
        run(&told, seconds: 120, Claims())
        silent.run(until: told.link.now)
        let (narrowed, proven) = (try #require(told.error), try #require(silent.error))
        #expect(proven.bound > .microseconds(900) && narrowed.bound < .microseconds(90))
        // The middle of what probes prove is wrong by half the difference.
        #expect(proven.error.magnitude > .microseconds(400) && narrowed.error.magnitude <= narrowed.bound)
    }

    @Test(
        "Keeps to the probes where PTP contradicts them, and tells both and since when",
        arguments: [37_000_000_000, -400_000, 3_600_000_000_000] as [Int64])
    func lies(lie: Int64) throws {
        var (told, silent) = (node(on: Self.wired), node(on: Self.wired))
        run(&told, seconds: 10, Claims())
        #expect(told.estimator.status?.source == .ptp)
        let began = told.link.rig
        for _ in 0..<5 {
            run(&told, seconds: 1, Claims(lie: lie))
            silent.run(until: told.link.now)
            try checkTruth(told)
        }
        checkEqual(told, silent)
        let conflict = try #require(told.estimator.status?.conflict)
        #expect(conflict.reference == Self.grandmaster)
        #expect((conflict.since - began).magnitude < .seconds(2))
        #expect(conflict.claimed.offset.nanoseconds == told.link.offset + lie)
        #expect(
            (conflict.claimed.offset - conflict.proven.offset).magnitude
                > conflict.claimed.bound + conflict.proven.bound)
        #expect(told.estimator.counters.conflicts == 1 && told.estimator.counters.inconsistencies == 0)

        // It tells the truth again. That counts after a minute.
        run(&told, seconds: 58, Claims())
        silent.run(until: told.link.now)
        checkEqual(told, silent)
        #expect(told.estimator.status?.conflict?.since == conflict.since)
        run(&told, seconds: 4, Claims())
        #expect(told.estimator.status?.conflict == nil && told.estimator.status?.source == .ptp)
        #expect(told.estimator.counters.conflicts == 1)
        try checkTruth(told)
    }

    @Test("Is a new conflict where PTP is wrong again after it was right for a minute") func secondConflict() throws {
        var told = node(on: Self.wired)
        for lie in [Self.second, 0, Self.second] { run(&told, seconds: 70, Claims(lie: lie)) }
        #expect(told.estimator.counters.conflicts == 2)
    }

    @Test("Uses no reading that is older than ten seconds, of either end", arguments: [true, false])
    func stale(node isNode: Bool) throws {
        var (told, silent) = (node(on: Self.asymmetric), node(on: Self.asymmetric))
        run(&told, seconds: 60, Claims())
        run(&told, seconds: 8, Claims(doesNodeRead: !isNode, doesCoordinatorRead: isNode))
        #expect(told.estimator.status?.source == .ptp)
        try checkTruth(told)
        run(&told, seconds: 4, Claims(doesNodeRead: !isNode, doesCoordinatorRead: isNode))
        silent.run(until: told.link.now)
        checkEqual(told, silent)
    }

    @Test(
        "Uses nothing of clocks that follow different references",
        arguments: [
            ClockReference(source: .ptp, identity: "7acc9b.fffe.ffffff"), ClockReference(source: .ntp, identity: "utc"),
        ])
    func references(other: ClockReference) {
        var (told, silent) = (node(on: Self.wired), node(on: Self.wired))
        run(&told, seconds: 10, Claims(coordinator: other))
        silent.run(until: told.link.now)
        checkEqual(told, silent)
        #expect(told.estimator.status?.conflict == nil)
    }

    @Test("Uses nothing without both ends, and has no rig time without probes") func alone() {
        var (told, silent) = (node(on: Self.wired), node(on: Self.wired))
        told.estimator.note(reading(of: told, Claims()))
        #expect(told.estimator.rigTime(at: told.link.now) == nil)
        run(&told, seconds: 10, Claims(doesCoordinatorRead: false))
        silent.run(until: told.link.now)
        checkEqual(told, silent)
    }

    @Test("Uses no reading from before a sleep of the node") func sleep() throws {
        var told = node(on: Self.wired)
        told.estimator.note(timeSlept: .zero)
        run(&told, seconds: 10, Claims())
        let before = reading(of: told, Claims())
        told.estimator.note(timeSlept: .seconds(5))
        told.link.offset += 5 * Self.second
        #expect(told.estimator.rigTime(at: told.link.now) == nil)
        told.link.pass(1_000_000)
        told.estimator.restart(at: told.link.now)
        told.estimator.note(before)
        run(&told, seconds: 3, Claims(doesNodeRead: false))
        #expect(told.estimator.status?.source == .probes && told.estimator.status?.conflict == nil)
        try checkTruth(told)
        run(&told, seconds: 10, Claims())
        #expect(told.estimator.status?.source == .ptp)
        try checkTruth(told)
    }

    @Test("Uses no reading from before a clock began to be slewed") func slew() throws {
        var told = node(on: Self.wired)
        told.link.slewError = 100
        told.link.nodeSlew = { $0 < 31 ? 0 : 100 }
        run(&told, seconds: 30, Claims())
        #expect(told.estimator.status?.source == .ptp && told.estimator.counters.slews == 0)
        run(&told, seconds: 4, Claims(doesNodeRead: false, doesCoordinatorRead: false))
        #expect(told.estimator.counters.slews > 0)
        #expect(told.estimator.status?.source == .probes)
        try checkTruth(told)
    }

    @Test("Uses no reading from the ten seconds after a clock was slewed") func settling() throws {
        var told = node(on: Self.wired)
        told.link.slewError = 100
        told.link.nodeSlew = { (31..<31.1).contains($0) ? 100 : 0 }
        // The slew adds up to 20 µs to the 10 µs by which the offset changes besides.
        let claims = Claims(bound: .microseconds(20))
        run(&told, seconds: 30, claims)
        #expect(told.estimator.status?.source == .ptp && told.estimator.counters.slews == 0)
        run(&told, seconds: 8, claims)
        #expect(told.estimator.status?.source == .probes && told.estimator.counters.slews > 0)
        run(&told, seconds: 12, claims)
        #expect(told.estimator.status?.source == .ptp && told.estimator.status?.conflict == nil)
        try checkTruth(told)
    }

    @Test("Forgets what another coordinator has said") func coordinator() throws {
        var told = node(on: Self.wired)
        run(&told, seconds: 5, Claims(lie: Self.second))
        #expect(told.estimator.status?.conflict != nil)
        told.clock = RigClockID(rawValue: "boot-b")
        told.link.coordinatorDiscipline = nil
        told.run(until: told.link.now + .seconds(1))
        #expect(told.estimator.status?.conflict == nil && told.estimator.counters.restarts == 1)
        run(&told, seconds: 10, Claims())
        #expect(told.estimator.status?.source == .ptp)
    }

    @Test("Says so only where it narrows the bound") func wideClaims() {
        var (told, silent) = (node(on: Self.wired), node(on: Self.wired))
        run(&told, seconds: 10, Claims(bound: .milliseconds(5)))
        silent.run(until: told.link.now)
        checkEqual(told, silent)
        #expect(told.estimator.status?.conflict == nil)
    }

    @Test("Survives every number", arguments: [Int64.min, -1, 0, 1, .max], [Int64.min, 0, .max])
    func extremes(realtime: Int64, monotonic: Int64) throws {
        var told = node(on: Self.wired)
        run(&told, seconds: 2, Claims())
        for bound in [Duration.nanoseconds(Int64.max), .zero, .nanoseconds(-1)] {
            told.estimator.note(
                DisciplinedClock(
                    reference: Self.grandmaster, bound: bound,
                    pair: WallClockPair(
                        monotonic: LocalTime(nanoseconds: monotonic), realtimeNanoseconds: realtime)))
            told.link.coordinatorDiscipline = DisciplinedClock(
                reference: Self.grandmaster, bound: bound,
                pair: WallClockPair(monotonic: told.link.rig, realtimeNanoseconds: realtime))
            told.run(until: told.link.now + .seconds(1))
            told.estimator.note(
                DisciplinedClock(
                    reference: Self.grandmaster, bound: bound,
                    pair: WallClockPair(monotonic: told.link.now, realtimeNanoseconds: realtime)))
            told.run(until: told.link.now + .seconds(1))
            try checkTruth(told)
        }
    }

    @Test(
        "Has the true rig time within its bound on random links with random claims that are true",
        arguments: 0..<12 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var told = node(on: Int.random(in: 0..<6, using: &generator), seed: seed)
        let bound = Int64.random(in: 5_000...200_000, using: &generator)
        for _ in 0..<30 {
            // The offset is within 10 µs of that of the start.
            let lie = Int64.random(in: 10_000 - 2 * bound...2 * bound, using: &generator)
            run(&told, seconds: 1, Claims(bound: .nanoseconds(bound), lie: lie))
            try checkTruth(told)
            for ahead in [20 * Self.second, 100 * Self.second] {
                let (error, bound) = try #require(told.error(ahead: ahead))
                #expect(error.magnitude <= bound, "\(ahead) ns ahead")
            }
        }
        #expect(told.estimator.counters.conflicts == 0 && told.estimator.counters.inconsistencies == 0)
    }
}
