internal import CPosix
public import CaptureModel
internal import Glibc

/// The machine's clocks.
public struct SystemTimeSource: TimeSource {
    public init() {}

    public func now() -> LocalTime {
        LocalTime(nanoseconds: Self.read(CLOCK_MONOTONIC))
    }

    /// Reads `CLOCK_REALTIME` between two readings of `CLOCK_MONOTONIC`, several times, and uses the closest pair with its middle as the
    /// monotonic instant. The error is at most half the gap: well below a microsecond unless the thread is delayed in every attempt.
    public func wallClockPair() -> WallClockPair<LocalTimeBase> { boundedPair().pair }

    /// Reads what ``wallClockPair()`` does, and tells how exact it is.
    func boundedPair() -> BoundedClockPair {
        var best = Self.readPair()
        for _ in 0..<4 {
            let next = Self.readPair()
            if next.gap < best.gap { best = next }
        }
        let middle = LocalTime(nanoseconds: best.monotonic + best.gap / 2)
        return BoundedClockPair(
            pair: WallClockPair(monotonic: middle, realtimeNanoseconds: best.realtime),
            error: .nanoseconds(best.gap / 2 + 1))
    }

    /// Uses the reading with the smallest gap of several. The error is at most half of that gap.
    public func timeSlept() -> Duration {
        var best = Self.readSleep()
        for _ in 0..<4 where best.gap > 10_000 {
            let next = Self.readSleep()
            if next.gap < best.gap { best = next }
        }
        return .nanoseconds(best.slept)
    }

    /// Uses the reading with the smallest gap of several. The error is at most half of that gap.
    public func timeSlewed() -> Duration? {
        var best = Self.readSlew()
        for _ in 0..<4 where best.gap > 100 {
            let next = Self.readSlew()
            if next.gap < best.gap { best = next }
        }
        return best.gap > 400 ? nil : .nanoseconds(best.slewed)
    }

    /// Waits on the clock that stops while the machine is suspended, as `CLOCK_MONOTONIC` does.
    public func sleep(until deadline: LocalTime) async throws {
        // In steps of at most a day, because the runtime's arithmetic overflows on a deadline centuries away.
        var remaining = deadline - now()
        while remaining > .zero {
            let step = min(remaining, .seconds(86_400))
            try await Task.sleep(until: .now.advanced(by: step), tolerance: .zero, clock: .suspending)
            remaining = deadline - now()
        }
        try Task.checkCancellation()
    }

    private static func readPair() -> (monotonic: Int64, gap: Int64, realtime: Int64) {
        let before = read(CLOCK_MONOTONIC)
        let realtime = read(CLOCK_REALTIME)
        return (before, read(CLOCK_MONOTONIC) - before, realtime)
    }

    private static func readSleep() -> (slept: Int64, gap: Int64) {
        let before = read(CLOCK_MONOTONIC)
        let boot = read(CLOCK_BOOTTIME)
        let gap = read(CLOCK_MONOTONIC) - before
        return (boot - before - gap / 2, gap)
    }

    private static func readSlew() -> (slewed: Int64, gap: Int64) {
        let before = read(CLOCK_MONOTONIC)
        let raw = read(CLOCK_MONOTONIC_RAW)
        let gap = read(CLOCK_MONOTONIC) - before
        return (before + gap / 2 - raw, gap)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail: these clocks exist on every Linux, and the pointer is valid.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
