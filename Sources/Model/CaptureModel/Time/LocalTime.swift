/// An instant of this machine's `CLOCK_MONOTONIC`.
public typealias LocalTime = TimePoint<LocalTimeBase>
