public import CaptureModel

/// `CLOCK_REALTIME`, which people and NTP may set.
public enum WallTimeBase: TimeBase {}

/// An instant of the coordinator's wall clock, in nanoseconds since 1970.
public typealias WallTime = TimePoint<WallTimeBase>
