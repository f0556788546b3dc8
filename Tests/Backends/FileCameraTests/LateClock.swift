import CaptureModel
import PosixSupport

/// A clock that jumps to whatever is waited for, is late the second time, and then stands still.
final class LateClock: TimeSource {
    private struct State {
        var now: LocalTime
        var sleeps = 0
    }

    private let state: Locked<State>
    private let late: Duration

    init(start: LocalTime, late: Duration) {
        state = Locked(State(now: start))
        self.late = late
    }

    func now() -> LocalTime { state.withLock { $0.now } }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: now().nanoseconds)
    }

    func sleep(until deadline: LocalTime) async throws {
        let mayGoOn = state.withLock { state in
            guard deadline > state.now else { return true }
            state.sleeps += 1
            if state.sleeps > 2 { return false }
            state.now = deadline + (state.sleeps == 2 ? late : .zero)
            return true
        }
        guard !mayGoOn else { return }
        // Nothing ever comes, so this ends when the task is cancelled.
        let (nothing, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        withExtendedLifetime(source) {}
        throw CancellationError()
    }
}
