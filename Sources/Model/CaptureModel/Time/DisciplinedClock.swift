/// What the program that keeps a machine's `CLOCK_REALTIME` in step, such as `ptp4l` or `chronyd`, says of it.
///
/// It is a claim, and proves nothing. Of two machines that follow the same reference, it says how far apart their
/// monotonic clocks are, which a node compares with its probes; see `docs/design/time.md`.
public struct DisciplinedClock<Base: TimeBase>: Hashable, Sendable {
    /// What the clock follows.
    public var reference: ClockReference
    /// The largest error of `CLOCK_REALTIME` against the reference, at the reading.
    public var bound: Duration
    /// Both clocks at the reading.
    public var pair: WallClockPair<Base>

    public init(reference: ClockReference, bound: Duration, pair: WallClockPair<Base>) {
        self.reference = reference
        self.bound = bound
        self.pair = pair
    }

    /// Returns the same reading, taken for one of another clock. A coordinator's `CLOCK_MONOTONIC` is the rig's time
    /// line.
    public func based<Other: TimeBase>(on base: Other.Type) -> DisciplinedClock<Other> {
        let monotonic = TimePoint<Other>(nanoseconds: pair.monotonic.nanoseconds)
        return DisciplinedClock<Other>(
            reference: reference, bound: bound,
            pair: WallClockPair(monotonic: monotonic, realtimeNanoseconds: pair.realtimeNanoseconds))
    }
}
