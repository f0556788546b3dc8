import CaptureModel
import CaptureTestSupport
import PosixSupport

/// A clock on which every sleep ends at once, one of them much too late, and which stands still after so many.
final class StumblingClock: TimeSource {
    private struct State {
        var now = LocalTime(nanoseconds: 1_000_000_000_000)
        var sleeps = 0
    }

    private let state = Locked(State())
    private let still = ManualTimeSource()
    private let number: Int
    private let delay: Duration
    private let last: Int

    /// - Parameters:
    ///   - number: Of the sleep that ends late, from 0.
    ///   - last: Of the sleep that ends last.
    init(after number: Int, by delay: Duration, then last: Int) {
        self.number = number
        self.delay = delay
        self.last = last
    }

    func now() -> LocalTime { state.withLock(\.now) }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: 1_800_000_000_500_000_000)
    }

    func sleep(until deadline: LocalTime) async throws {
        let sleeps = state.withLock { state in
            defer { state.sleeps += 1 }
            return state.sleeps
        }
        guard sleeps <= last else { return try await still.sleep(until: still.now() + .seconds(1)) }
        state.withLock { $0.now = max($0.now, deadline) + (sleeps == number ? delay : .zero) }
    }
}
