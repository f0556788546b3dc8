public import CaptureModel

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
    /// Time from the start of one burst to the start of the next, once settled.
    public static let interval: Duration = .milliseconds(500)
    /// How long, from the start, bursts are closer: a rate is known as soon as there are enough of them.
    public static let settlingTime: Duration = .seconds(10)
    /// Time from the start of one burst to the start of the next before that.
    public static let settlingInterval: Duration = .milliseconds(100)
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
    private var settled: LocalTime

    public init(startingAt start: LocalTime) {
        nextInstant = start
        burstStart = start
        settled = start + Self.settlingTime
        ticket = ProbeID(burst: 0, position: 0)
        lastOpeningBurst = Self.openingBursts - 1
    }

    /// Starts again with back-to-back bursts, as after a reconnection.
    public mutating func restart(at instant: LocalTime) {
        if ticket.position > 0 { ticket = ProbeID(burst: ticket.burst + 1, position: 0) }
        lastOpeningBurst = ticket.burst + Self.openingBursts - 1
        awaited = nil
        nextInstant = instant
        settled = instant + Self.settlingTime
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
        nextInstant = max(now, burstStart + (now < settled ? Self.settlingInterval : Self.interval))
    }
}
