/// Reads how this machine's clock is kept in step. It is injected, so that tests say what PTP and NTP say.
public protocol ClockDiscipline: Sendable {
    /// Asks the programs that keep the clock. Takes as long as they do, at most some seconds, and blocks no thread of
    /// the cooperative pool.
    /// - Returns: nil if no program says how far `CLOCK_REALTIME` can be off, or if that is in doubt.
    func reading() async -> DisciplinedClock<LocalTimeBase>?
}

extension ClockDiscipline {
    /// Waits until it is time to ask again: 2 s after an answer, 10 s after none.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func pause(after reading: DisciplinedClock<LocalTimeBase>?, on clock: any TimeSource) async throws {
        try await clock.sleep(for: reading == nil ? .seconds(10) : .seconds(2))
    }
}
