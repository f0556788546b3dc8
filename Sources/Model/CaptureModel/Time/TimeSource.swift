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

    /// Returns by how much this machine's clock has been slewed since its boot, as NTP does: the lead of `CLOCK_MONOTONIC` over
    /// `CLOCK_MONOTONIC_RAW`, within 200 ns. Only differences are meaningful. nil if it cannot be read so precisely.
    func timeSlewed() -> Duration?
}

extension TimeSource {
    /// The default: a machine that is never suspended.
    public func timeSlept() -> Duration { .zero }

    /// The default: a machine of which this is not known.
    public func timeSlewed() -> Duration? { nil }

    /// Waits for `duration`.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now() + duration)
    }
}
