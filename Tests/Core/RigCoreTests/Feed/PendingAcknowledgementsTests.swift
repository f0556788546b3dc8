import CaptureModel
import Journal
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct PendingAcknowledgementsTests {
    private func event(_ epoch: UInt64, _ sequence: UInt64) -> EventPosition {
        EventPosition(epoch: Samples.epoch(epoch), sequence: sequence)
    }

    @Test("a node forgets events that the end of the coordinator would lose")
    func journaledFirst() {
        var waiting = PendingAcknowledgements()
        waiting.add([event(1, 8), event(1, 9), event(2, 1)], publishedThrough: 12)
        waiting.add([event(2, 2)], publishedThrough: 14)
        let tooSoon = waiting.removeDue(journaledThrough: 11)
        let first = waiting.removeDue(journaledThrough: 13)
        let second = waiting.removeDue(journaledThrough: 14)
        let none = waiting.removeDue(journaledThrough: .max)
        #expect(tooSoon.isEmpty && none.isEmpty)
        #expect(Set(first) == [event(1, 9), event(2, 1)])
        #expect(second.map(\.sequence) == [2])
    }

    @Test("a node that sends events without end fills the coordinator's memory")
    func bound() {
        var waiting = PendingAcknowledgements()
        let count = UInt64(PendingAcknowledgements.limit * 3)
        for number in 1...count { waiting.add([event(1, number)], publishedThrough: number) }
        #expect(waiting.removeDue(journaledThrough: count - 1).count == PendingAcknowledgements.limit - 1)
        #expect(waiting.removeDue(journaledThrough: count).map(\.sequence) == [count])
    }

    @Test("a node that claims a new life for each event fills the coordinator's memory")
    func lives() {
        var waiting = PendingAcknowledgements()
        let lives = UInt64(PendingAcknowledgements.limit + PendingAcknowledgements.lifeLimit * 2)
        for life in 1...lives { waiting.add([event(life, 1)], publishedThrough: 1) }
        let acks = waiting.removeDue(journaledThrough: 1)
        #expect(acks.count == PendingAcknowledgements.limit - 1 + PendingAcknowledgements.lifeLimit)
    }
}
