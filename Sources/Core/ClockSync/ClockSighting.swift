public import CaptureModel

/// What one probe proves: at `sent` the rig's clock read at most `received`, and at `returned` at least `replied`. All
/// bounds for other instants follow from these two and the largest rate error, however the delay was divided.
struct ClockSighting: Sendable {
    let sent: Int64
    let returned: Int64
    /// The largest possible value of rig time minus local time.
    let largestOffset: Int64
    let smallestOffset: Int64

    /// - Returns: nil if the stamps cannot be from two clocks that run forward.
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

    /// Rig time minus local time in the middle of the possible range.
    var offset: Int64 { smallestOffset + roundTrip / 2 }

    /// Returns the largest error of `offset` at a local instant: half the round trip, and the drift from the farther of
    /// the probe's two local stamps.
    func bound(at local: Int64) -> Int64 {
        let age = max(distance(local, sent), distance(local, returned))
        return roundTrip.halvedUp.saturatingSum(ClockAssumptions.drift(over: age))
    }

    /// Returns whether a rate within the assumptions allows both probes to be true.
    func isConsistent(with other: ClockSighting) -> Bool {
        isPossible(after: other) && other.isPossible(after: self)
    }

    /// Returns whether this probe's upper limit leaves room for the other's lower one.
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

/// The numbers on which every bound is based; `docs/design/time.md` gives the reasons.
public enum ClockAssumptions {
    /// The largest relative rate error between the clocks of a node and of the coordinator, in parts per million.
    public static let largestRateError: Int64 = 500

    /// Returns how far two clocks can drift apart in `age` nanoseconds, rounded up.
    static func drift(over age: Int64) -> Int64 {
        let age = age.magnitude
        let drift =
            age / 1_000_000 * UInt64(largestRateError) + age % 1_000_000 * UInt64(largestRateError) / 1_000_000 + 1
        return Int64(clamping: drift)
    }
}

/// Counts of the outcomes of a node's probes.
public struct ClockCounters: Hashable, Sendable {
    /// Probes that count toward the estimate.
    public var accepted: UInt64 = 0
    /// Probes with impossible stamps (time that runs backwards, a negative round trip, or values out of range), and
    /// probes that were in flight when the machine slept.
    public var rejected: UInt64 = 0
    /// How often earlier probes were discarded because they contradict a later one.
    public var inconsistencies: UInt64 = 0
    /// How often the coordinator returned with another rig time line.
    public var restarts: UInt64 = 0
    /// How often this machine slept.
    public var suspensions: UInt64 = 0

    public init() {}
}

/// One exchange on the clock channel, with its four stamps.
public struct ClockProbe: Hashable, Sendable {
    /// t1: when the node sent, on its own clock.
    public var sent: LocalTime
    /// t2: when the coordinator received.
    public var received: RigTime
    /// t3: when the coordinator replied.
    public var replied: RigTime
    /// t4: when the node received the reply, on its own clock.
    public var returned: LocalTime

    public init(sent: LocalTime, received: RigTime, replied: RigTime, returned: LocalTime) {
        self.sent = sent
        self.received = received
        self.replied = replied
        self.returned = returned
    }

    /// Time in transit, both ways together.
    public var roundTrip: Duration { (returned - sent) - (replied - received) }
}

/// The identifier of one probe. The wire carries `sequence`.
public struct ProbeID: Hashable, Sendable {
    /// Number of the burst since the start.
    public let burst: UInt64
    /// Position in the burst. The probe at position 0 is sent but not used.
    public let position: UInt8

    public init(burst: UInt64, position: UInt8) {
        self.burst = burst & (.max >> 8)
        self.position = position
    }

    /// Decodes burst and position from one number.
    public init(sequence: UInt64) {
        self.init(burst: sequence >> 8, position: UInt8(truncatingIfNeeded: sequence))
    }

    public var sequence: UInt64 { burst << 8 | UInt64(position) }
}

/// The times at which probes are sent. At most one probe is in flight: within a burst, each probe is sent when the
/// previous one has returned or timed out. The type is pure: its caller sends what `next(at:)` returns and waits until
/// `nextInstant`.
public struct ProbeSchedule: Sendable {
    /// Number of probes in a burst.
    public static let burstLength: UInt8 = 5
    /// Number of bursts sent back to back at the start, for a first estimate within 300 ms.
    public static let openingBursts: UInt64 = 3
    /// Time from the start of one burst to the start of the next.
    public static let interval: Duration = .milliseconds(500)
    /// Timeout of a probe, in the opening bursts and later. A reply that arrives after the timeout still counts.
    public static let openingPatience: Duration = .milliseconds(50)
    public static let patience: Duration = .milliseconds(100)

    /// When `next(at:)` has a probe to send.
    public private(set) var nextInstant: LocalTime
    private var ticket: ProbeID
    /// The probe in flight.
    private var awaited: ProbeID?
    private var burstStart: LocalTime
    private var lastOpeningBurst: UInt64

    public init(startingAt start: LocalTime) {
        nextInstant = start
        burstStart = start
        ticket = ProbeID(burst: 0, position: 0)
        lastOpeningBurst = Self.openingBursts - 1
    }

    /// Starts again with back-to-back bursts, as after a reconnection.
    public mutating func restart(at instant: LocalTime) {
        if ticket.position > 0 { ticket = ProbeID(burst: ticket.burst + 1, position: 0) }
        lastOpeningBurst = ticket.burst + Self.openingBursts - 1
        awaited = nil
        nextInstant = instant
    }

    /// Returns the probe to send, if one is due. If another probe is still in flight, it times out.
    public mutating func next(at now: LocalTime) -> ProbeID? {
        guard now >= nextInstant else { return nil }
        if awaited != nil { step(at: now) }
        // A timeout of the last probe of a burst may put the next one into the future.
        guard now >= nextInstant else { return nil }
        if ticket.position == 0 { burstStart = now }
        awaited = ticket
        nextInstant = now + (ticket.burst <= lastOpeningBurst ? Self.openingPatience : Self.patience)
        return ticket
    }

    /// Notes that a probe has returned. A reply to an earlier probe than the one in flight changes nothing.
    public mutating func returned(_ reply: ProbeID, at now: LocalTime) {
        guard reply == awaited else { return }
        step(at: now)
    }

    private mutating func step(at now: LocalTime) {
        awaited = nil
        nextInstant = now
        guard ticket.position + 1 >= Self.burstLength else {
            ticket = ProbeID(burst: ticket.burst, position: ticket.position + 1)
            return
        }
        ticket = ProbeID(burst: ticket.burst + 1, position: 0)
        guard ticket.burst > lastOpeningBurst else { return }
        nextInstant = max(now, burstStart + Self.interval)
    }
}
