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
