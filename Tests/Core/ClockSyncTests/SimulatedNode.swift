import CaptureModel
import CaptureTestSupport
import ClockSync

/// A node and a coordinator whose clocks are known exactly, and a network between them. Instants of truth are
/// nanoseconds on the node's clock.
struct SimulatedLink {
    /// One way's delay in nanoseconds.
    enum Delay {
        case uniform(ClosedRange<Int64>)
        /// A least delay and a heavy (Pareto) tail above it.
        case heavyTail(least: Int64, scale: Double)
        /// A queue that one connection fills and empties again in a period of seconds.
        case queue(least: Int64, longest: Double, period: Double)
    }

    var generator: SeededGenerator
    var forward: Delay
    var backward: Delay
    /// Rig time minus local time at local time 0.
    var offset: Int64 = 123_456_789_012
    /// Rate of the rig's clock against the node's, in parts per million, as it changes over time.
    var rate: @Sendable (Double) -> Double = { _ in 50 }
    /// How fast the clocks are slewed besides, in parts per million, as it changes over time.
    var nodeSlew: @Sendable (Double) -> Double = { _ in 0 }
    var coordinatorSlew: @Sendable (Double) -> Double = { _ in 0 }
    /// The largest error of what the ends report of that, nanoseconds; nil if they report nothing.
    var slewError: Int64?
    /// What the coordinator says of its clock.
    var coordinatorDiscipline: DisciplinedClock<RigTimeBase>?
    /// What the slews have added up to, nanoseconds.
    private var slewed = (node: 0.0, coordinator: 0.0)
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
            let seconds = Double(local) * 1e-9
            let (ofNode, ofCoordinator) = (nodeSlew(seconds), coordinatorSlew(seconds))
            drifted += Double(step) * (rate(seconds) + ofCoordinator - ofNode) * 1e-6
            slewed.node += Double(step) * ofNode * 1e-6
            slewed.coordinator += Double(step) * ofCoordinator * 1e-6
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
        let coordinatorSlewed = reading(of: slewed.coordinator)
        pass(sample(backward))
        return ClockProbe(
            sent: sent, received: received, replied: replied, returned: now, nodeSlewed: reading(of: slewed.node),
            coordinatorSlewed: coordinatorSlewed, coordinatorDiscipline: coordinatorDiscipline)
    }

    private mutating func reading(of slewed: Double) -> Duration? {
        guard let slewError else { return nil }
        return Duration.nanoseconds(Int64(slewed) + Int64.random(in: -slewError...slewError, using: &generator))
    }

    private mutating func sample(_ delay: Delay) -> Int64 {
        switch delay {
        case .uniform(let range): return Int64.random(in: range, using: &generator)
        case .heavyTail(let least, let scale):
            let uniform = Double.random(in: 0.0001...1, using: &generator)
            return least + Int64(scale * (1 / uniform - 1))
        case .queue(let least, let longest, let period):
            let filled = (Double(local) * 1e-9 / period).truncatingRemainder(dividingBy: 1)
            return least + Int64(longest * (0.1 + 0.9 * filled) * Double.random(in: 0.8...1, using: &generator))
        }
    }
}

/// A node on a simulated link: probes as the schedule says, and every probe fed to an estimator.
struct SimulatedNode {
    var link: SimulatedLink
    var estimator = ClockEstimator()
    var clock = RigClockID(rawValue: "boot-a")
    private var schedule: ProbeSchedule
    /// The last burst of ``burst()``.
    private var number: UInt64 = 1 << 32

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

    /// Sends the probes of one burst, whatever the schedule says.
    mutating func burst() {
        number += 1
        for position in 0..<ProbeSchedule.burstLength {
            estimator.add(link.exchange(), ticket: ProbeID(burst: number, position: position), clock: clock)
        }
    }

    /// Estimate minus truth at the present, and its bound; nil without an estimate.
    var error: (error: Duration, bound: Duration)? { error(ahead: 0) }

    /// The same for an instant that is some nanoseconds ahead, asked at the present.
    func error(ahead: Int64) -> (error: Duration, bound: Duration)? {
        var then = link
        then.pass(ahead)
        return estimator.rigTime(at: then.now).map { ($0.time - then.rig, $0.bound) }
    }
}
