import CaptureModel
import Journal
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct EventCursorTests {
    private func batch(_ sequences: ClosedRange<UInt64>, after previous: UInt64? = nil, epoch: UInt64 = 7)
        -> EventBatch
    {
        let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        var batch = Samples.batch(sequences, of: event, epoch: epoch)
        batch.follows = previous.map { EventPosition(epoch: Samples.epoch(7), sequence: $0) }
        return batch
    }

    /// Whether each is accepted.
    private func accepted(_ batches: EventBatch...) -> [Bool] {
        var cursor = EventCursor()
        return batches.map { cursor.follows($0) }
    }

    @Test("events behind a lost batch are acknowledged, and the lost ones are gone")
    func lostBatch() {
        let (first, lost) = (batch(1...3), batch(4...5, after: 3))
        let (second, third) = (batch(6...7, after: 5), batch(8...8, after: 7))
        #expect(accepted(first, second, third, lost, second) == [true, false, false, true, true])
    }

    @Test("events behind the first batch after a welcome are acknowledged when that one is lost")
    func lostFirstBatch() {
        #expect(accepted(batch(4...5, after: 3), batch(1...3)) == [false, true])
    }

    @Test("a batch that comes twice, an empty one, or events of an earlier life count as a gap")
    func noGap() {
        let (first, second) = (batch(1...3), batch(4...5, after: 3))
        let earlier = batch(1...2, after: 5, epoch: 8)
        #expect(accepted(first, EventBatch(entries: []), second, second, earlier) == [true, true, true, true, true])
    }
}
