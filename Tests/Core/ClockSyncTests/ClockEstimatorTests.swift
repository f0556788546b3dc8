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
    ]

    private func node(_ index: Int, seed: UInt64, rate: @escaping @Sendable (Double) -> Double) -> SimulatedNode {
        var link = SimulatedLink(seed: seed, forward: Self.links[index].forward, backward: Self.links[index].backward)
        link.rate = rate
        return SimulatedNode(link)
    }

    @Test(arguments: 0..<5, [-500.0, -200, 0, 200, 500])
    func theErrorIsWithinTheBound(link: Int, rate: Double) throws {
        try checkBound(link: link, rate: rate, times: 120, every: 1_500_000_000)
    }

    @Test func theErrorIsWithinTheBoundForHours() throws {
        try checkBound(link: 2, rate: -200, times: 120, every: 60_000_000_000)
    }

    private func checkBound(link: Int, rate: Double, times: Int, every step: Int64) throws {
        var node = node(link, seed: UInt64(11 + link), rate: { _ in rate })
        for time in 1...times {
            node.run(until: LocalTime(nanoseconds: Int64(time) * step))
            node.link.pass(Int64.random(in: 0...1_000_000_000, using: &node.link.generator))
            let (error, bound) = try #require(node.error)
            #expect(error.magnitude <= bound, "\(Self.links[link].name) \(rate) ppm: \(error) > \(bound)")
            #expect(error.magnitude < .milliseconds(6))
        }
        #expect(node.estimator.counters.inconsistencies == 0)
        #expect(node.estimator.counters.rejected == 0)
    }

    @Test func theBoundHoldsWhileTheRateWanders() throws {
        var node = node(0, seed: 3, rate: { seconds in seconds.truncatingRemainder(dividingBy: 20) < 10 ? 480 : -480 })
        for step in 1...2000 {
            node.run(until: LocalTime(nanoseconds: Int64(step) * 150_000_000))
            let (error, bound) = try #require(node.error)
            #expect(error.magnitude <= bound)
        }
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
            #expect(bound < .microseconds(600))
            #expect(error.magnitude < .microseconds(250))
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

    @Test func aFastExchangeStandsThroughCongestionUntilItsAgeIsWorse() throws {
        var node = node(0, seed: 2, rate: { _ in 20 })
        node.run(until: LocalTime(nanoseconds: 10_000_000_000))
        let before = try #require(node.error).bound
        // Every exchange of the next seconds waits 20 ms in a queue, and 5 ms on the way back.
        node.link.forward = .uniform(20_000_000...30_000_000)
        node.link.backward = .uniform(5_000_000...9_000_000)
        node.run(until: LocalTime(nanoseconds: 13_000_000_000))
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound < before + .milliseconds(2))
        #expect(try #require(node.estimator.newestRoundTrip) > .milliseconds(20))
        #expect(try #require(node.estimator.smallestRoundTrip) < .milliseconds(1))
        // After a minute of it the congested exchanges are the better ones.
        node.run(until: LocalTime(nanoseconds: 80_000_000_000))
        let late = try #require(node.error)
        #expect(late.error.magnitude <= late.bound)
        #expect(late.bound < .milliseconds(25))
    }

    @Test func withoutProbesTheBoundGrowsAndStaysTrue() throws {
        var node = node(0, seed: 4, rate: { _ in 400 })
        node.run(until: LocalTime(nanoseconds: 5_000_000_000))
        node.link.pass(3_600_000_000_000)
        let (error, bound) = try #require(node.error)
        #expect(error.magnitude <= bound)
        #expect(bound > .milliseconds(1799) && bound < .milliseconds(1802))
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
        #expect(try #require(node.estimator.rigTime(at: local)).time == instant)
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

/// A node and a coordinator whose clocks are known exactly, and a network between them. Instants of truth are
/// nanoseconds on the node's clock.
struct SimulatedLink {
    /// One way's delay in nanoseconds.
    enum Delay {
        case uniform(ClosedRange<Int64>)
        /// A least delay and a heavy (Pareto) tail above it.
        case heavyTail(least: Int64, scale: Double)
    }

    var generator: SeededGenerator
    var forward: Delay
    var backward: Delay
    /// Rig time minus local time at local time 0.
    var offset: Int64 = 123_456_789_012
    /// Rate of the rig's clock against the node's, in parts per million, as it changes over time.
    var rate: @Sendable (Double) -> Double = { _ in 50 }
    private var local: Int64 = 0
    /// What the rate has added up to at `local`.
    private var drifted: Double = 0

    init(seed: UInt64, forward: Delay, backward: Delay) {
        generator = SeededGenerator(seed: seed)
        self.forward = forward
        self.backward = backward
    }

    var now: LocalTime { LocalTime(nanoseconds: local) }

    /// The true rig time of the present.
    var rig: RigTime { RigTime(nanoseconds: local + offset + Int64(drifted)) }

    /// Lets time pass, with the rate as it is in steps of at most 100 ms.
    mutating func pass(_ nanoseconds: Int64) {
        var left = max(0, nanoseconds)
        while left > 0 {
            let step = min(left, 100_000_000)
            drifted += Double(step) * rate(Double(local) * 1e-9) * 1e-6
            local += step
            left -= step
        }
    }

    mutating func exchange() -> ClockProbe {
        let sent = now
        pass(sample(forward))
        let received = rig
        pass(20_000)
        let replied = rig
        pass(sample(backward))
        return ClockProbe(sent: sent, received: received, replied: replied, returned: now)
    }

    private mutating func sample(_ delay: Delay) -> Int64 {
        switch delay {
        case .uniform(let range): return Int64.random(in: range, using: &generator)
        case .heavyTail(let least, let scale):
            let uniform = Double.random(in: 0.0001...1, using: &generator)
            return least + Int64(scale * (1 / uniform - 1))
        }
    }
}

/// A node on a simulated link: probes as the schedule says, and every probe fed to an estimator.
struct SimulatedNode {
    var link: SimulatedLink
    var estimator = ClockEstimator()
    var clock = RigClockID(rawValue: "boot-a")
    private var schedule: ProbeSchedule

    init(_ link: SimulatedLink) {
        self.link = link
        schedule = ProbeSchedule(startingAt: link.now)
    }

    /// Sends the next probe and waits for it.
    mutating func probe() {
        link.pass((schedule.nextInstant - link.now).nanoseconds)
        guard let ticket = schedule.next(at: link.now) else { return }
        estimator.add(link.exchange(), ticket: ticket, clock: clock)
        schedule.returned(ticket, at: link.now)
    }

    mutating func run(until end: LocalTime) {
        while link.now < end { probe() }
    }

    /// Estimate minus truth at the present, and its bound; nil without an estimate.
    var error: (error: Duration, bound: Duration)? {
        estimator.rigTime(at: link.now).map { ($0.time - link.rig, $0.bound) }
    }
}
