/// The clock that all code reads and waits on. It is injected, so that tests run hours in milliseconds.
public protocol TimeSource: Sendable {
    /// Returns the current instant of this machine's `CLOCK_MONOTONIC`.
    func now() -> LocalTime

    /// Reads the monotonic and the wall clock together.
    func wallClockPair() -> WallClockPair<LocalTimeBase>

    /// Returns at or after `deadline`, at once if it has passed.
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(until deadline: LocalTime) async throws

    /// Returns the total time for which this machine has been suspended since its boot: the lead of `CLOCK_BOOTTIME`
    /// over `CLOCK_MONOTONIC`, which stops during a sleep. Only differences are meaningful, because the clocks of a time
    /// namespace begin at any value.
    func timeSlept() -> Duration
}

extension TimeSource {
    /// The default: a machine that is never suspended.
    public func timeSlept() -> Duration { .zero }

    /// Waits for `duration`.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration)
    }
}
