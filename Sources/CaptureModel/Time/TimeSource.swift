/// The clock that everything reads and waits on; injected, so that tests run hours in milliseconds.
public protocol TimeSource: Sendable {
    /// The instant now, on this machine's `CLOCK_MONOTONIC`.
    func now() -> LocalTime

    /// The monotonic and the wall clock, read together.
    func wallClockPair() -> WallClockPair<LocalTimeBase>

    /// Returns at or after `deadline`, at once where it has passed.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: LocalTime) async throws
}

extension TimeSource {
    /// Waits for `duration` from now.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration)
    }
}
