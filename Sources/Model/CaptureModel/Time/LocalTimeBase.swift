/// This machine's `CLOCK_MONOTONIC`, which V4L2 timestamps use. It never steps, and stops during suspension.
public enum LocalTimeBase: TimeBase {}
