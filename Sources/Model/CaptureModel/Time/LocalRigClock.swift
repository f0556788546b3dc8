/// The rig clock of a machine that forms a rig alone: rig time equals this machine's monotonic clock.
public struct LocalRigClock: RigTimeSource {
    public let clockID: RigClockID?

    /// - Parameter clockID: The name of the time line, which is one boot of this machine.
    public init(clockID: RigClockID = RigClockID(rawValue: "local")) {
        self.clockID = clockID
    }

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds), bound: .zero)
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        LocalTime(nanoseconds: rig.nanoseconds)
    }
}

/// Wakes one waiting task at a deadline, or earlier when rung.
///
/// A wait may return without cause, so the waiter must check its condition again. Several rings while nobody waits
/// count as one. Once a waiting task has been cancelled, every further wait returns at once.
public struct Alarm: Sendable {
    private let clock: any TimeSource
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    public init(clock: any TimeSource) {
        self.clock = clock
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the waiter; does nothing if there is none.
    public func ring() {
        continuation.yield()
    }

    /// Returns at `deadline`, at a ring, or when the task is cancelled. Without a deadline, only a ring or cancellation ends it.
    public func wait(until deadline: LocalTime?) async {
        let timer = deadline.map { deadline in
            // Unstructured: a task group would wait for the sleep to end, but this must return earlier.
            Task { [clock, continuation] in
                try await clock.sleep(until: deadline)
                continuation.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in rings { return }
    }
}

/// A rig time with an error bound: the true instant is within `time ± bound`, if the clock assumptions of `docs/design/time.md` hold.
public struct BoundedRigTime: Hashable, Codable, Sendable {
    public var time: RigTime
    /// The largest possible error; never negative. Nanoseconds, as on the wire and in manifests.
    public var boundNanoseconds: Int64

    public var bound: Duration { .nanoseconds(boundNanoseconds) }

    public init(time: RigTime, bound: Duration) {
        self.time = time
        self.boundNanoseconds = bound.nanoseconds
    }
}

extension Duration {
    /// The duration in integer nanoseconds, rounded toward zero; saturates beyond ±292 years.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds, for display and for rates.
    public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration without its sign.
    public var magnitude: Duration {
        self < .zero ? .zero - self : self
    }
}

/// The name of a rig time line, which is one boot of the coordinator's machine. Rig times of different ids cannot be compared.
public struct RigClockID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// A node's estimate of rig time: an affine map from its clock, with a bound. The clock service implements it.
public protocol RigTimeSource: Sendable {
    /// The rig time line of the map; nil before the first probe has returned.
    var clockID: RigClockID? { get }

    /// Converts local to rig time by the newest estimate; nil before the first probe has returned.
    func rigTime(at local: LocalTime) -> BoundedRigTime?

    /// Converts rig to local time; nil before the first probe has returned.
    func localTime(at rig: RigTime) -> LocalTime?
}

/// An instant on one clock, in nanoseconds. Instants of different clocks do not mix.
///
/// `Base` names the clock. There is no conversion between bases here. Only a node's clock estimate converts a
/// ``LocalTime`` to a ``RigTime``, and gives the bound.
public struct TimePoint<Base: TimeBase>: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the instant `duration` later. Saturates at the ends of the clock, so that a peer's number cannot trap.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Self(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    public static func - (instant: Self, duration: Duration) -> Self {
        instant + .nanoseconds(0 &- duration.nanoseconds)
    }

    /// Returns the signed time from `earlier` to `later`; saturates.
    public static func - (later: Self, earlier: Self) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }
}

/// A clock on which instants are counted.
public protocol TimeBase: Sendable {}

/// This machine's `CLOCK_MONOTONIC`, which V4L2 timestamps use. It never steps, and stops during suspension.
public enum LocalTimeBase: TimeBase {}

/// The coordinator's `CLOCK_MONOTONIC` during one boot: the single time line of the rig.
public enum RigTimeBase: TimeBase {}

/// An instant of this machine's `CLOCK_MONOTONIC`.
public typealias LocalTime = TimePoint<LocalTimeBase>

/// An instant of the rig's time line.
public typealias RigTime = TimePoint<RigTimeBase>

/// Coded as its number of nanoseconds.
extension TimePoint: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(nanoseconds: decoder.singleValueContainer().decode(Int64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

/// The clock that all code reads and waits on. It is injected, so that tests run hours in milliseconds.
public protocol TimeSource: Sendable {
    /// Returns the current instant of this machine's `CLOCK_MONOTONIC`.
    func now() -> LocalTime

    /// Reads the monotonic and the wall clock together.
    func wallClockPair() -> WallClockPair<LocalTimeBase>

    /// Returns at or after `deadline`, at once if it has passed.
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(until deadline: LocalTime) async throws

    /// Returns the total time for which this machine has been suspended since its boot: the lead of `CLOCK_BOOTTIME`
    /// over `CLOCK_MONOTONIC`, which stops during a sleep. Only differences are meaningful, because the clocks of a time
    /// namespace begin at any value.
    func timeSlept() -> Duration
}

extension TimeSource {
    /// The default: a machine that is never suspended.
    public func timeSlept() -> Duration { .zero }

    /// Waits for `duration`.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration)
    }
}

/// A reading of a monotonic clock and of `CLOCK_REALTIME` taken together, so that instants can be shown as dates.
///
/// A shot records the coordinator's pair once. Every date of the shot (manifest, EXIF) derives from it, so that all
/// cameras of a shot agree even if the nodes' wall clocks do not.
public struct WallClockPair<Base: TimeBase>: Hashable, Sendable {
    public var monotonic: TimePoint<Base>
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var realtimeNanoseconds: Int64

    public init(monotonic: TimePoint<Base>, realtimeNanoseconds: Int64) {
        self.monotonic = monotonic
        self.realtimeNanoseconds = realtimeNanoseconds
    }

    /// Returns the `CLOCK_REALTIME` nanoseconds of `instant`.
    public func realtimeNanoseconds(at instant: TimePoint<Base>) -> Int64 {
        realtimeNanoseconds &+ (instant - monotonic).nanoseconds
    }

    /// Returns the instant at which `CLOCK_REALTIME` read `realtimeNanoseconds`.
    public func instant(atRealtimeNanoseconds realtime: Int64) -> TimePoint<Base> {
        monotonic + .nanoseconds(realtime &- realtimeNanoseconds)
    }
}
