import CaptureModel
import RigProtocol
import Testing

@testable import CoordinatorRuntime

@Suite struct DelayedAcknowledgementsTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    private func event(_ epoch: UInt64, _ sequence: UInt64) -> WireNumberedEvent {
        var event = WireNumberedEvent()
        (event.epoch, event.sequence) = (epoch, sequence)
        return event
    }

    @Test("a node forgets events that nobody who follows the feed can have seen")
    func delay() {
        var waiting = DelayedAcknowledgements()
        waiting.add([event(1, 8), event(1, 9), event(2, 1)], at: start)
        waiting.add([event(2, 2)], at: start + .seconds(1))
        let tooSoon = waiting.takeDue(at: start + .milliseconds(2999))
        let first = waiting.takeDue(at: start + .seconds(3)).sorted { $0.epoch < $1.epoch }
        let second = waiting.takeDue(at: start + .seconds(9))
        let none = waiting.takeDue(at: start + .seconds(99))
        #expect(tooSoon.isEmpty && none.isEmpty)
        #expect(first.map(\.epoch) == [1, 2] && first.map(\.sequence) == [9, 1])
        #expect(second.map(\.sequence) == [2])
    }

    @Test("a node that sends events without end fills the coordinator's memory")
    func bound() {
        var waiting = DelayedAcknowledgements()
        let count = UInt64(DelayedAcknowledgements.limit * 3)
        for number in 1...count { waiting.add([event(1, number)], at: start) }
        let acks = waiting.takeDue(at: start + .seconds(3))
        #expect(acks.count == DelayedAcknowledgements.limit && acks.last?.sequence == count)
    }

    @Test("a node that claims a new life for each event fills the coordinator's memory")
    func lives() {
        var waiting = DelayedAcknowledgements()
        let lives = UInt64(DelayedAcknowledgements.limit + DelayedAcknowledgements.lifeLimit * 2)
        for life in 1...lives { waiting.add([event(life, 1)], at: start) }
        let acks = waiting.takeDue(at: start + .seconds(3))
        #expect(acks.count == DelayedAcknowledgements.limit - 1 + DelayedAcknowledgements.lifeLimit)
    }
}
