public import CaptureModel

/// A clock that never goes faster than the machine's, and stands still while the threads under test do not get to run.
///
/// For tests whose parts wait for each other in real time, such as a camera and the session that takes its frames. By the machine's
/// clock, a thread that gets no processor for a while makes them late, and the test fails on a slow machine. By this one it does not:
/// the next step of time comes only after every thread has done what it had been given to do.
public final class PacedTimeSource: TimeSource {
    private static let step = Duration.milliseconds(2)

    private let clock = ManualTimeSource()

    public init() {}

    public func now() -> LocalTime { clock.now() }
    public func wallClockPair() -> WallClockPair<LocalTimeBase> { clock.wallClockPair() }
    public func sleep(until deadline: LocalTime) async throws { try await clock.sleep(until: deadline) }

    /// Lets time pass until the calling task is cancelled.
    /// - Parameter pass: Returns when every thread under test has done what it had been given to do.
    public func run(_ pass: () async -> Void) async {
        while !Task.isCancelled {
            // Time is not to go faster than for a user: it is not what the test waits for.
            try? await Task.sleep(for: Self.step)
            await pass()
            clock.advance(by: Self.step)
        }
    }
}
