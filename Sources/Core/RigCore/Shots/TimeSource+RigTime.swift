import CaptureModel

/// The rig's time line is the clock of the coordinator's machine.
extension TimeSource {
    /// The present on the rig's time line.
    var rigTime: RigTime { RigTime(nanoseconds: now().nanoseconds) }

    /// The present on the rig's time line and on the wall clock.
    var rigWallClock: WallClockPair<RigTimeBase> {
        let pair = wallClockPair()
        return WallClockPair(
            monotonic: RigTime(nanoseconds: pair.monotonic.nanoseconds), realtimeNanoseconds: pair.realtimeNanoseconds)
    }
}
