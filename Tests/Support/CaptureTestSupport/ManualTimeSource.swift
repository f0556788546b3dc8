public import CaptureModel
import PosixSupport

/// A clock that stands still until a test moves it, so that hours pass in milliseconds and every run is the same.
///
/// Sleepers wake in the order of their deadlines, equal ones in the order in which they went to sleep; each finds the
/// clock at its own deadline. A woken task runs concurrently with the test: wait for what it does, or for it to sleep again
/// by ``sleepers(atLeast:)``, before moving on.
public final class ManualTimeSource: TimeSource {
    private let bed: Locked<SleepingTasks>

    /// - Parameters:
    ///   - start: What the monotonic clock reads at first.
    ///   - realtimeNanoseconds: What `CLOCK_REALTIME` reads at that instant, since 1970.
    public init(
        start: LocalTime = LocalTime(nanoseconds: 1_000_000_000_000),
        realtimeNanoseconds: Int64 = 1_800_000_000_000_000_000
    ) {
        bed = Locked(SleepingTasks(now: start, realtimeNanoseconds: realtimeNanoseconds))
    }

    public func now() -> LocalTime {
        bed.withLock { $0.now }
    }

    public func wallClockPair() -> WallClockPair<LocalTimeBase> {
        bed.withLock { $0.pair }
    }

    public func sleep(until deadline: LocalTime) async throws {
        let ticket = bed.withLock { $0.makeTicket() }
        defer { bed.withLock { $0.forget(ticket) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(ticket, deadline, $0) }
        } onCancel: {
            bed.withLock { $0.cancel(ticket) }?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ ticket: UInt64, _ deadline: LocalTime, _ continuation: CheckedContinuation<Void, any Error>) {
        switch bed.withLock({ $0.enter(ticket, deadline, continuation) }) {
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .due: continuation.resume()
        case .asleep(let watchers): watchers.forEach { $0.resume() }
        }
    }

    /// Sets the wall clock, as NTP or a person steps it; the monotonic clock is untouched.
    public func stepWallClock(by duration: Duration) {
        bed.withLock { $0.realtimeOffset += duration.nanoseconds }
    }

    /// Lets the machine sleep: the wall clock goes on, the monotonic clock and everybody who waits on it do not.
    public func suspendMachine(for duration: Duration) {
        bed.withLock { bed in
            bed.timeSlept += duration
            bed.realtimeOffset += duration.nanoseconds
        }
    }

    public func timeSlept() -> Duration {
        bed.withLock { $0.timeSlept }
    }

    /// Moves the clock to `instant`, waking everyone due on the way. Nothing happens if it has passed already.
    public func advance(to instant: LocalTime) {
        while let sleeper = bed.withLock({ $0.next(until: instant) }) {
            sleeper.resume()
        }
    }

    /// Moves the clock on by `duration`, waking everyone due on the way.
    public func advance(by duration: Duration) {
        advance(to: now() + duration)
    }

    /// Returns when this many tasks are asleep.
    public func sleepers(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = bed.withLock { $0.watch(count, continuation) }
            if isThere { continuation.resume() }
        }
    }

    /// Waits until this many tasks are asleep, then moves the clock to the first deadline and wakes that one sleeper.
    /// - Returns: The instant moved to.
    @discardableResult
    public func step(sleepers count: Int = 1) async -> LocalTime {
        await sleepers(atLeast: count)
        bed.withLock { $0.next(until: nil) }?.resume()
        return now()
    }

    /// Moves the clock to `instant` one sleeper at a time, each time waiting until this many tasks are asleep again: as
    /// many as sleep all the time, so that every task does all it does before the next one wakes.
    public func run(until instant: LocalTime, sleepers count: Int = 1) async {
        repeat {
            await sleepers(atLeast: count)
        } while wakeNext(until: instant)
    }

    private func wakeNext(until instant: LocalTime) -> Bool {
        guard let sleeper = bed.withLock({ $0.next(until: instant) }) else { return false }
        sleeper.resume()
        return true
    }
}
