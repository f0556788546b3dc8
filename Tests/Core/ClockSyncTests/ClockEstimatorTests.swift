import CaptureModel
import CaptureTestSupport
import ClockSync
import Testing

@Suite struct ClockEstimatorTests {
    static let links: [(name: String, forward: SimulatedLink.Delay, backward: SimulatedLink.Delay)] = [
        ("wired", .uniform(100_000...300_000), .uniform(100_000...300_000)),
        ("wireless", .uniform(1_000_000...3_000_000), .uniform(1_000_000...3_000_000)),
        ("heavy tail", .heavyTail(least: 500_000, scale: 300_000), .heavyTail(least: 500_000, scale: 300_000)),
        ("asymmetric", .uniform(450_000...550_000), .uniform(1_400_000...1_600_000)),
        ("one way only", .uniform(0...0), .uniform(5_000_000...5_000_000)),
        ("saturated", .queue(least: 200_000, longest: 30_000_000, period: 3), .uniform(100_000...300_000)),
    ]

    private func node(_ index: Int, seed: UInt64, rate: @escaping @Sendable (Double) -> Double) -> SimulatedNode {
        var link = SimulatedLink(seed: seed, forward: Self.links[index].forward, backward: Self.links[index].backward)
        link.rate = rate
        return SimulatedNode(link)
    }

    @Test(arguments: 0..<6, [-500.0, -200, 0, 200, 500])
    func theErrorIsWithinTheBound(link: Int, rate: Double) throws {
        try checkBound(link: link, rate: rate, times: 60, every: 1_500_000_000)
    }

    private func checkBound(link: Int, rate: Double, times: Int, every step: Int64) throws {
        var node = node(link, seed: UInt64(11 + link), rate: { _ in rate })
        for time in 1...times {
            node.run(until: LocalTime(nanoseconds: Int64(time) * step))
            node.link.pass(Int64.random(in: 0...1_000_000_000, using: &node.link.generator))
            let (error, bound) = try #require(node.error)
            #expect(error.magnitude <= bound, "\(Self.links[link].name) \(rate) ppm: \(error) > \(bound)")
            #expect(error.magnitude < .milliseconds(16))
        }
        #expect(node.estimator.counters.inconsistencies == 0)
        #expect(node.estimator.counters.rejected == 0)
    }

    @Test("Has the true rig time within its bound at rates that change as fast as is assumed", arguments: 0..<6)
    func extremeRates(link: Int) throws {
        // Up and down by 0.2 ppm per second, and at once by 5 ppm.
        var node = node(link, seed: 3) { seconds in
            let drift = 0.2 * abs(seconds.truncatingRemainder(dividingBy: 400) - 200)
            return 470 - drift + (seconds.truncatingRemainder(dividingBy: 37) < 18 ? 2.5 : -2.5)
        }
        for step in 1...700 {
            node.run(until: LocalTime(nanoseconds: Int64(step) * 830_000_000))
            for ahead in [0, 1_500_000_000] as [Int64] {
                let (error, bound) = try #require(node.error(ahead: ahead))
                #expect(error.magnitude <= bound)
            }
        }
        #expect(node.estimator.counters.inconsistencies == 0)
    }

    @Test("Covers every way in which a round trip can be divided")
    func splits() throws {
        // The stamps of a link with 1 ms either way are those of one with 2 ms and none, and of one with none and 2 ms.
        let delay = SimulatedLink.Delay.uniform(1_000_000...1_000_000)
        var node = SimulatedNode(SimulatedLink(seed: 1, forward: delay, backward: delay))
        node.run(until: LocalTime(nanoseconds: 60_000_000_000))
        let (error, bound) = try #require(node.error)
        for shift in [-1, 0, 1] { #expect((error + .milliseconds(shift)).magnitude <= bound) }
        #expect(bound < .microseconds(1050))
    }

    @Test("Discards what contradicts later probes, where a rate changes by more than is assumed")
    func brokenAssumption() throws {
        var node = node(0, seed: 12) { seconds in seconds < 60 ? 50 : 400 }
        node.run(until: LocalTime(nanoseconds: 59_000_000_000))
        let before = try #require(node.error).bound
        node.run(until: LocalTime(nanoseconds: 65_000_000_000))
        #expect(node.estimator.counters.inconsistencies >= 1)
        node.run(until: LocalTime(nanoseconds: 180_000_000_000))
        let count = node.estimator.counters.inconsistencies
        node.run(until: LocalTime(nanoseconds: 240_000_000_000))
        #expect(node.estimator.counters.inconsistencies == count)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound < before * 2)
    }

    @Test(
        "Relies on no earlier probe once a clock has begun or ceased to be slewed",
        arguments: [(420.0, 0.0), (0, 420), (-420, 0), (0, -420), (20, 0), (0, 20), (-200, 200)])
    func slews(ofNode: Double, ofCoordinator: Double) throws {
        var node = node(0, seed: 4, rate: { _ in 50 })
        let slew = 60.23..<90.71
        node.link.nodeSlew = { slew.contains($0) ? ofNode : 0 }
        node.link.coordinatorSlew = { slew.contains($0) ? ofCoordinator : 0 }
        node.link.slewError = 200
        var count = 0
        while node.link.now < LocalTime(nanoseconds: 130_000_000_000) {
            node.run(until: node.link.now + .milliseconds(100))
            let seconds = Double(node.link.now.nanoseconds) * 1e-9
            // Nobody knows of a change that is still to come, or that came after the newest burst but one.
            let unknown = (seconds - 1.2)...(seconds + 1)
            guard !unknown.contains(slew.lowerBound), !unknown.contains(slew.upperBound) else { continue }
            let (error, bound) = try #require(node.error(ahead: 1_000_000_000))
            #expect(error.magnitude <= bound, "at \(seconds) s")
            count += 1
        }
        #expect(count > 200)
        // Each begins within an interval that is compared, so that two intervals may differ from the one before.
        #expect((2...4).contains(node.estimator.counters.slews))
        #expect(node.estimator.counters.inconsistencies == 0)
        #expect(try #require(node.error).bound < .microseconds(200))
    }

    @Test("A clock that is slewed steadily, or ever faster as a crystal changes, discards no probe") func steadySlew()
        throws
    {
        var node = node(0, seed: 4, rate: { _ in 50 })
        node.link.nodeSlew = { 35 + 0.1 * $0 }
        node.link.coordinatorSlew = { -60 - 0.1 * $0 }
        node.link.slewError = 200
        node.run(until: LocalTime(nanoseconds: 300_000_000_000))
        #expect(node.estimator.counters.slews == 0 && node.estimator.counters.inconsistencies == 0)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
    }

    @Test("What is read of a slew counts from the start again after a sleep and with another coordinator")
    func slewsOfOtherClocks() throws {
        var node = node(0, seed: 4, rate: { _ in 50 })
        node.link.slewError = 200
        node.run(until: LocalTime(nanoseconds: 10_000_000_000))
        node.clock = RigClockID(rawValue: "boot-b")
        node.link.coordinatorSlew = { _ in 300 }
        node.run(until: LocalTime(nanoseconds: 20_000_000_000))
        node.estimator.restart(at: node.link.now)
        node.link.nodeSlew = { _ in -100 }
        node.run(until: LocalTime(nanoseconds: 30_000_000_000))
        #expect(node.estimator.counters.slews == 0)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
    }

    @Test func aFrameBeforeAndAnInstantAfterTheProbesAreWithinTheirBoundsToo() throws {
        var node = node(1, seed: 5, rate: { _ in -300 })
        node.run(until: LocalTime(nanoseconds: 10_000_000_000))
        var truth = node.link
        for _ in 0..<100 {
            truth.pass(300_000_000)
            let estimate = try #require(node.estimator.rigTime(at: truth.now))
            #expect((estimate.time - truth.rig).magnitude <= estimate.bound)
        }
        var early = SimulatedNode(self.node(1, seed: 5, rate: { _ in -300 }).link)
        for step in 0..<50 {
            early.link.pass(step == 0 ? 0 : 200_000_000)
            let estimate = try #require(node.estimator.rigTime(at: early.link.now))
            #expect((estimate.time - early.link.rig).magnitude <= estimate.bound)
        }
    }

    @Test func onAnIdleWiredNetworkTheBoundIsUsable() throws {
        var node = node(0, seed: 9, rate: { _ in 50 })
        node.run(until: LocalTime(nanoseconds: 30_000_000_000))
        for _ in 0..<200 {
            node.probe()
            let (error, bound) = try #require(node.error)
            #expect(error.magnitude <= bound)
            #expect(bound < .microseconds(200))
            #expect(error.magnitude < .microseconds(30))
        }
    }

    @Test func anEstimateIsThereWithin300Milliseconds() throws {
        var node = node(1, seed: 1, rate: { _ in 50 })
        node.run(until: LocalTime(nanoseconds: 40_000_000))
        #expect(node.error != nil)
        node.run(until: LocalTime(nanoseconds: 300_000_000))
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound < .milliseconds(3))
    }

    @Test("Knows the time during congestion by the fast exchanges of before")
    func congestion() throws {
        var node = node(0, seed: 2, rate: { _ in 20 })
        node.run(until: LocalTime(nanoseconds: 10_000_000_000))
        let before = try #require(node.error).bound
        // Every exchange of the next seconds waits 20 ms in a queue, and 5 ms on the way back.
        node.link.forward = .uniform(20_000_000...30_000_000)
        node.link.backward = .uniform(5_000_000...9_000_000)
        node.run(until: LocalTime(nanoseconds: 13_000_000_000))
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound < before + .microseconds(500))
        #expect(try #require(node.estimator.status).shortestRoundTrip < .milliseconds(1))
        node.run(until: LocalTime(nanoseconds: 80_000_000_000))
        let late = try #require(node.error)
        #expect(late.error.magnitude <= late.bound)
        // Old probes prove the rate, and so an offset that is closer than half of the 25 ms of an exchange.
        #expect(late.bound < .milliseconds(6))
        #expect(late.error.magnitude < .milliseconds(1))
    }

    @Test("Reports offset, drift and round trips, and for how long a link has been congested")
    func status() throws {
        var node = node(0, seed: 14, rate: { _ in -20 })
        #expect(node.estimator.status == nil)
        node.run(until: LocalTime(nanoseconds: 60_000_000_000))
        let before = try #require(node.estimator.status)
        let offset = Duration.nanoseconds(node.link.rig.nanoseconds - node.link.now.nanoseconds)
        #expect((before.offset - offset).magnitude < .milliseconds(1))
        #expect((-25_000 ... -15_000).contains(before.ratePartsPerBillion))
        #expect(before.shortestRoundTrip > .microseconds(200) && before.roundTrip < .microseconds(500))
        #expect(before.source == .probes && before.congestedSince == nil)
        #expect((node.link.rig - before.newest).magnitude < .seconds(1))
        #expect((node.link.rig - before.since - .seconds(60)).magnitude < .seconds(1))
        let fast = node.link.forward
        node.link.forward = .queue(least: 200_000, longest: 20_000_000, period: 3)
        node.run(until: node.link.now + .seconds(20))
        let since = try #require(node.estimator.status?.congestedSince)
        #expect((.seconds(5) ... .seconds(16)).contains(node.link.rig - since))
        node.run(until: node.link.now + .seconds(20))
        #expect(node.estimator.status?.congestedSince != nil)
        node.link.forward = fast
        node.run(until: node.link.now + .seconds(12))
        #expect(node.estimator.status?.congestedSince == nil)
    }

    @Test func withoutProbesTheBoundGrowsAndStaysTrue() throws {
        var node = node(0, seed: 4, rate: { _ in 400 })
        node.run(until: LocalTime(nanoseconds: 5_000_000_000))
        node.link.pass(3_600_000_000_000)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound > .milliseconds(1000) && bound < .milliseconds(1802))
    }

    @Test func rigTimeThereAndBackIsTheSameInstant() throws {
        var node = node(1, seed: 6, rate: { _ in 100 })
        node.run(until: LocalTime(nanoseconds: 20_000_000_000))
        for ahead in stride(from: Int64(-5_000_000_000), to: 5_000_000_000, by: 77_777_777) {
            let rig = RigTime(nanoseconds: node.link.rig.nanoseconds + ahead)
            let local = try #require(node.estimator.localTime(at: rig))
            let back = try #require(node.estimator.rigTime(at: local))
            #expect((back.time - rig).magnitude <= back.bound)
        }
        let instant = node.link.rig
        let local = try #require(node.estimator.localTime(at: instant))
        #expect((try #require(node.estimator.rigTime(at: local)).time - instant).magnitude <= .nanoseconds(1))
    }

    @Test func aCoordinatorThatRebootedIsNotMixedWithItsFormerLife() throws {
        var node = node(0, seed: 8, rate: { _ in 50 })
        node.run(until: LocalTime(nanoseconds: 5_000_000_000))
        node.link.offset = -77
        node.clock = RigClockID(rawValue: "boot-b")
        node.probe()
        node.probe()
        #expect(node.estimator.clockID == node.clock)
        #expect(node.estimator.counters.restarts == 1)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
    }

    @Test func aSuspendThatNobodyNoticedIsFoundByContradiction() throws {
        var node = node(0, seed: 10, rate: { _ in 50 })
        node.run(until: LocalTime(nanoseconds: 5_000_000_000))
        // The node slept for 10 ms less than the coordinator.
        node.link.offset += 10_000_000
        for _ in 0..<5 { node.probe() }
        #expect(node.estimator.counters.inconsistencies == 1)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound < .milliseconds(1))
    }

    @Test func theFirstProbeOfABurstDoesNotCount() throws {
        var estimator = ClockEstimator()
        let probe = ClockProbe(
            sent: .init(nanoseconds: 0), received: .init(nanoseconds: 1000), replied: .init(nanoseconds: 1000),
            returned: .init(nanoseconds: 10))
        estimator.add(probe, ticket: .init(burst: 0, position: 0), clock: .init(rawValue: "c"))
        #expect(estimator.rigTime(at: .init(nanoseconds: 5)) == nil)
        estimator.add(probe, ticket: .init(burst: 0, position: 1), clock: .init(rawValue: "c"))
        #expect(estimator.rigTime(at: .init(nanoseconds: 5))?.time == .init(nanoseconds: 1000))
    }

    @Test func impossibleProbesAreCountedAndChangeNothing() throws {
        var estimator = ClockEstimator()
        let stamps: [(Int64, Int64, Int64, Int64)] = [
            (10, 100, 100, 9), (10, 100, 99, 20), (10, 100, 120, 20), (.min, .max, .max, 0), (0, .min, .max, .max),
            (.min, 0, 0, .max), (5, .min, .min, 6), (.max, 0, .max, .max),
        ]
        for (index, stamp) in stamps.enumerated() {
            let probe = ClockProbe(
                sent: .init(nanoseconds: stamp.0), received: .init(nanoseconds: stamp.1),
                replied: .init(nanoseconds: stamp.2), returned: .init(nanoseconds: stamp.3))
            estimator.add(probe, ticket: .init(burst: UInt64(index), position: 1), clock: .init(rawValue: "c"))
        }
        #expect(estimator.counters.rejected == UInt64(stamps.count))
        #expect(estimator.clockID == nil)
    }

    @Test(arguments: 0..<20) func randomNumbersFromAPeerDoNotTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var estimator = ClockEstimator()
        func number() -> Int64 {
            let shift = UInt64.random(in: 0..<64, using: &generator)
            return Int64(truncatingIfNeeded: generator.next()) >> shift
        }
        for index in 0..<3000 {
            let (first, second) = (number(), number())
            let probe = ClockProbe(
                sent: .init(nanoseconds: first), received: .init(nanoseconds: second),
                replied: .init(nanoseconds: second.addingReportingOverflow(number() >> 20).partialValue),
                returned: .init(
                    nanoseconds: first.addingReportingOverflow(number().magnitude > 0 ? 5_000 : 0).partialValue))
            let clock = RigClockID(rawValue: index % 500 == 0 ? "b" : "a")
            estimator.add(probe, ticket: ProbeID(sequence: generator.next()), clock: clock)
            if let estimate = estimator.rigTime(at: .init(nanoseconds: number())) {
                #expect(estimate.boundNanoseconds >= 0)
            }
            _ = estimator.localTime(at: .init(nanoseconds: number()))
            _ = probe.roundTrip
        }
        #expect(estimator.counters.accepted > 0 && estimator.counters.rejected > 0)
    }
}
