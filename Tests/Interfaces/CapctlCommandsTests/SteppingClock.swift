import CaptureModel
import PosixSupport

/// A clock on which a sleep takes no time, and each look at it a microsecond.
final class SteppingClock: TimeSource {
    private let present = Locked(LocalTime(nanoseconds: 5_000_000_000))

    func now() -> LocalTime {
        present.withLock { present in
            defer { present = present + .microseconds(1) }
            return present
        }
    }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: 0)
    }

    func sleep(until deadline: LocalTime) async throws {
        present.withLock { $0 = max($0, deadline) }
    }
}
