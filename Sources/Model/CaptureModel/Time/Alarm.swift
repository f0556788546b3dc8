/// Wakes one waiting task at a deadline, or earlier when somebody rings.
///
/// It may wake without cause, so a waiter looks again at what it waits for. Rings while nobody waits are kept as one.
/// Once a waiting task has been cancelled, every further wait returns at once.
public struct Alarm: Sendable {
    private let clock: any TimeSource
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    public init(clock: any TimeSource) {
        self.clock = clock
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the waiter; harmless when there is none.
    public func ring() {
        continuation.yield()
    }

    /// Returns at `deadline`, at a ring, or when the task is cancelled; nil waits for a ring alone.
    public func wait(until deadline: LocalTime?) async {
        let timer = deadline.map { deadline in
            // Unstructured, because a task group would end only when the sleep does, and the point is to end first.
            Task { [clock, continuation] in
                try await clock.sleep(until: deadline)
                continuation.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in rings { return }
    }
}
