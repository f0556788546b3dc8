/// An instant on one clock, in nanoseconds; instants of different clocks do not mix.
///
/// `Base` names the clock. There is no conversion between bases here: only the clock estimate of a node turns a
/// ``LocalTime`` into a ``RigTime``, and says with which bound.
public struct TimePoint<Base: TimeBase>: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's own zero.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` later; saturates at the ends of the clock, so that a peer's number cannot trap.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Self(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    public static func - (instant: Self, duration: Duration) -> Self {
        instant + .nanoseconds(0 &- duration.nanoseconds)
    }

    /// The signed time from `earlier` to `later`; saturates.
    public static func - (later: Self, earlier: Self) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }
}

/// A clock that instants are counted on.
public protocol TimeBase: Sendable {}

/// This machine's `CLOCK_MONOTONIC`: what V4L2 stamps use; never steps, stops while suspended.
public enum LocalTimeBase: TimeBase {}

/// The coordinator's `CLOCK_MONOTONIC`, valid for one boot of it: the one time line of the rig.
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
