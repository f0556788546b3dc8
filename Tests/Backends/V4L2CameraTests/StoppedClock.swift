import CaptureModel

/// A clock that stands at zero, for cameras that never deliver.
struct StoppedClock: TimeSource {
    func now() -> LocalTime { LocalTime(nanoseconds: 0) }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: 0)
    }

    func sleep(until deadline: LocalTime) async throws {}
}
