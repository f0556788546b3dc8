/// The coordinator's `CLOCK_MONOTONIC` during one boot: the single time line of the rig.
public enum RigTimeBase: TimeBase {}
