public import CaptureModel

/// Names one probe; the wire carries `sequence`.
public struct ProbeTicket: Hashable, Sendable {
    /// Number of the burst since the start.
    public let burst: UInt64
    /// Place in its burst; the probe at 0 is sent and not used.
    public let position: UInt8

    public init(burst: UInt64, position: UInt8) {
        self.burst = burst & (.max >> 8)
        self.position = position
    }

    /// Burst and position in one number.
    public init(sequence: UInt64) {
        self.init(burst: sequence >> 8, position: UInt8(truncatingIfNeeded: sequence))
    }

    public var sequence: UInt64 { burst << 8 | UInt64(position) }
}

/// When to send the next probe. At most one probe is under way: within a burst each is sent when the one before has come
/// back or is given up. Pure; its caller sends what `next(at:)` returns and waits until `nextInstant`.
public struct ProbeSchedule: Sendable {
    /// Probes of a burst.
    public static let burstLength: UInt8 = 5
    /// Bursts sent back to back at the start, for a first estimate within 300 ms.
    public static let openingBursts: UInt64 = 3
    /// Time from the beginning of one burst to the next.
    public static let interval: Duration = .milliseconds(500)
    /// When a probe is given up, in the opening bursts and later. A reply that comes after it still counts.
    public static let openingPatience: Duration = .milliseconds(50)
    public static let patience: Duration = .milliseconds(100)

    /// When `next(at:)` has a probe to send.
    public private(set) var nextInstant: LocalTime
    private var ticket: ProbeTicket
    /// The probe under way.
    private var awaited: ProbeTicket?
    private var burstStart: LocalTime
    private var lastOpeningBurst: UInt64

    public init(startingAt start: LocalTime) {
        nextInstant = start
        burstStart = start
        ticket = ProbeTicket(burst: 0, position: 0)
        lastOpeningBurst = Self.openingBursts - 1
    }

    /// Begins again with back-to-back bursts, as after a reconnection.
    public mutating func restart(at instant: LocalTime) {
        if ticket.position > 0 { ticket = ProbeTicket(burst: ticket.burst + 1, position: 0) }
        lastOpeningBurst = ticket.burst + Self.openingBursts - 1
        awaited = nil
        nextInstant = instant
    }

    /// The probe to send, if one is due. A probe that is still under way is given up by this.
    public mutating func next(at now: LocalTime) -> ProbeTicket? {
        guard now >= nextInstant else { return nil }
        if awaited != nil { step(at: now) }
        // Giving up the last probe of a burst may put the next one into the future.
        guard now >= nextInstant else { return nil }
        if ticket.position == 0 { burstStart = now }
        awaited = ticket
        nextInstant = now + (ticket.burst <= lastOpeningBurst ? Self.openingPatience : Self.patience)
        return ticket
    }

    /// Tells that a probe has come back. A reply to an earlier one than is under way changes nothing.
    public mutating func returned(_ reply: ProbeTicket, at now: LocalTime) {
        guard reply == awaited else { return }
        step(at: now)
    }

    private mutating func step(at now: LocalTime) {
        awaited = nil
        nextInstant = now
        guard ticket.position + 1 >= Self.burstLength else {
            ticket = ProbeTicket(burst: ticket.burst, position: ticket.position + 1)
            return
        }
        ticket = ProbeTicket(burst: ticket.burst + 1, position: 0)
        guard ticket.burst > lastOpeningBurst else { return }
        nextInstant = max(now, burstStart + Self.interval)
    }
}
