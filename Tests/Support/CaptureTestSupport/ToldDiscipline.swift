public import CaptureModel

/// Says of this machine's clock what a test wants.
public struct ToldDiscipline: ClockDiscipline {
    private let answer: @Sendable () -> DisciplinedClock<LocalTimeBase>?

    /// - Parameter answer: Called for each reading.
    public init(_ answer: @escaping @Sendable () -> DisciplinedClock<LocalTimeBase>?) {
        self.answer = answer
    }

    public func reading() async -> DisciplinedClock<LocalTimeBase>? { answer() }
}
