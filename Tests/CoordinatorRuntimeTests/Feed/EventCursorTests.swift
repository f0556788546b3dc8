import RigProtocol
import Testing

@testable import CoordinatorRuntime

@Suite struct EventCursorTests {
    private func batch(_ sequences: ClosedRange<UInt64>, after previous: UInt64? = nil, epoch: UInt64 = 7)
        -> WireEventBatch
    {
        var batch = WireEventBatch()
        batch.events = sequences.map { sequence in
            var event = WireNumberedEvent()
            (event.epoch, event.sequence) = (epoch, sequence)
            return event
        }
        if let previous { (batch.follows.epoch, batch.follows.sequence) = (7, previous) }
        return batch
    }

    /// Whether each is taken.
    private func taken(_ batches: WireEventBatch...) -> [Bool] {
        var cursor = EventCursor()
        return batches.map { cursor.follows($0) }
    }

    @Test("events behind a lost batch are acknowledged, and the lost ones are gone")
    func lostBatch() {
        let (first, lost) = (batch(1...3), batch(4...5, after: 3))
        let (second, third) = (batch(6...7, after: 5), batch(8...8, after: 7))
        #expect(taken(first, second, third, lost, second) == [true, false, false, true, true])
    }

    @Test("events behind the first batch after a welcome are acknowledged when that one is lost")
    func lostFirstBatch() {
        #expect(taken(batch(4...5, after: 3), batch(1...3)) == [false, true])
    }

    @Test("a batch that comes twice, an empty one, or events of an earlier life count as a gap")
    func noGap() {
        let (first, second) = (batch(1...3), batch(4...5, after: 3))
        let earlier = batch(1...2, after: 5, epoch: 8)
        #expect(taken(first, WireEventBatch(), second, second, earlier) == [true, true, true, true, true])
    }
}
