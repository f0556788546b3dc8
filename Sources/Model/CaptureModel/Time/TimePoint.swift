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
