/// Wakes one waiting task at a deadline, or earlier when rung.
///
/// A wait may return without cause, so the waiter must check its condition again. Several rings while nobody waits
/// count as one. Once a waiting task has been cancelled, every further wait returns at once.
public struct Alarm: Sendable {
    private let clock: any TimeSource
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    public init(clock: any TimeSource) {
        self.clock = clock
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the waiter; does nothing if there is none.
    public func ring() {
        continuation.yield()
    }

    /// Returns at `deadline`, at a ring, or when the task is cancelled. Without a deadline, only a ring or cancellation ends it.
    public func wait(until deadline: LocalTime?) async {
        let timer = deadline.map { deadline in
            // Unstructured: a task group would wait for the sleep to end, but this must return earlier.
            Task { [clock, continuation] in
                try await clock.sleep(until: deadline)
                continuation.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in rings { return }
    }
}
