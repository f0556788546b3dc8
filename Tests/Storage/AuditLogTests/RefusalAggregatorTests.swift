import CaptureModel
import CaptureTestSupport
import Testing

@testable import AuditLog

@Suite struct RefusalAggregatorTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    private func refusal(_ number: Int) -> Refusal {
        Refusal(address: "10.0.0.\(number)", domain: "control", reason: "unknown key")
    }

    @Test func `Records the first refusal at once, and a flood as one record for each window`() {
        var refusals = RefusalAggregator(window: .seconds(60), keyLimit: 4)
        #expect(refusals.refuse(refusal(1), at: start)?.details == ["address": "10.0.0.1", "reason": "unknown key"])
        for _ in 1...1000 { #expect(refusals.refuse(refusal(1), at: start + .seconds(1)) == nil) }
        #expect(refusals.nextDeadline == start + .seconds(60))
        #expect(refusals.due(at: start + .seconds(59)) == [])
        let counted = refusals.due(at: start + .seconds(60))
        #expect(counted.map { $0.details["count"] } == ["1000"] && counted[0].kind == .refusal)
        #expect(refusals.refuse(refusal(1), at: start + .seconds(61)) == nil)
        #expect(refusals.due(at: start + .seconds(120)).map { $0.details["count"] } == ["1"])
        #expect(refusals.due(at: start + .seconds(180)) == [] && refusals.nextDeadline == nil)
        #expect(refusals.refuse(refusal(1), at: start + .seconds(181)) != nil)
    }

    @Test func `Counts refusals of further keys under other`() {
        var refusals = RefusalAggregator(window: .seconds(60), keyLimit: 4)
        let recorded = (1...100).compactMap { refusals.refuse(refusal($0), at: start) }
        #expect(recorded.count == 4)
        let counted = refusals.due(at: start + .seconds(60))
        #expect(counted.map(\.subject) == ["other"] && counted[0].details["count"] == "96")
        #expect(refusals.refuse(refusal(200), at: start + .seconds(61)) != nil)
    }

    @Test func `Loses no count at the end`() {
        var refusals = RefusalAggregator(window: .seconds(60), keyLimit: 4)
        for _ in 1...5 { _ = refusals.refuse(refusal(1), at: start) }
        _ = refusals.refuse(refusal(2), at: start)
        #expect(refusals.finish().map { $0.details["count"] } == ["4"])
        #expect(refusals.finish() == [])
    }

    @Test func `A flood of refusals becomes few records, and the rest is recorded at the end`() async throws {
        let stage = try AuditStage()
        let log = try stage.open()
        let recorder = RefusalRecorder(
            log: log, clock: stage.clock, aggregator: RefusalAggregator(window: .seconds(60), keyLimit: 2))
        let running = Task { await recorder.run() }
        for number in 0..<1000 { recorder.refuse(refusal(number % 4)) }
        await stage.clock.step()
        await stage.clock.sleepers(atLeast: 1)
        for _ in 1...7 { recorder.refuse(refusal(0)) }
        running.cancel()
        await running.value
        try await log.flush()
        let details = try await stage.reader().list(limit: 99).records.reversed().map(\.entry.details)
        #expect(details.map { $0["count"] } == [nil, nil, "249", "249", "500", "7"])
        #expect(log.dropped == 0)
    }
}
