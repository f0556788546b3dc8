/// The clock that everything reads and waits on; injected, so that tests run hours in milliseconds.
public protocol TimeSource: Sendable {
    /// The instant now, on this machine's `CLOCK_MONOTONIC`.
    func now() -> LocalTime

    /// The monotonic and the wall clock, read together.
    func wallClockPair() -> WallClockPair<LocalTimeBase>

    /// Returns at or after `deadline`, at once where it has passed.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: LocalTime) async throws

    /// How long this machine has been suspended since its boot, all in all: what `CLOCK_BOOTTIME` is ahead of
    /// `CLOCK_MONOTONIC`, which stands still meanwhile. Only differences count: the clocks of a time namespace begin
    /// anywhere.
    func timeSlept() -> Duration
}

extension TimeSource {
    /// A machine that never sleeps.
    public func timeSlept() -> Duration { .zero }

    /// Waits for `duration` from now.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration)
    }
}
