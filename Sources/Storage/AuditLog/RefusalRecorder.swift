public import CaptureModel
internal import PosixSupport

/// Records refusals in a log, aggregated by a ``RefusalAggregator``. Safe from any thread.
public final class RefusalRecorder: Sendable {
    private let aggregator: Locked<RefusalAggregator>
    private let log: AuditLog
    private let clock: any TimeSource
    /// Yields when a window may have begun.
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    public init(log: AuditLog, clock: any TimeSource, aggregator: RefusalAggregator = RefusalAggregator()) {
        self.log = log
        self.clock = clock
        self.aggregator = Locked(aggregator)
        (openings, opening) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes a refusal. Never waits.
    public func refuse(_ refusal: Refusal) {
        let now = clock.now()
        if let entry = aggregator.withLock({ $0.refuse(refusal, at: now) }) { log.record(entry) }
        opening.yield()
    }

    /// Records what was counted at the end of each window, until the task is cancelled; then all that was counted. For one task at a time.
    public func run() async {
        for await _ in openings {
            while let deadline = aggregator.withLock({ $0.nextDeadline }),
                (try? await clock.sleep(until: deadline)) != nil
            {
                let now = clock.now()
                record(aggregator.withLock { $0.due(at: now) })
            }
        }
        record(aggregator.withLock { $0.finish() })
    }

    private func record(_ entries: [AuditEntry]) {
        for entry in entries { log.record(entry) }
    }
}
