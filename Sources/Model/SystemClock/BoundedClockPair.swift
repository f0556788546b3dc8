import CaptureModel

/// `CLOCK_MONOTONIC` and `CLOCK_REALTIME`, read together.
struct BoundedClockPair: Hashable, Sendable {
    var pair: WallClockPair<LocalTimeBase>
    /// How far the two readings can be apart in time.
    var error: Duration

    /// How far `CLOCK_REALTIME` is ahead, nanoseconds.
    var lead: Int64 { pair.realtimeNanoseconds &- pair.monotonic.nanoseconds }
}
