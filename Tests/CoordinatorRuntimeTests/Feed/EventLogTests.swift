import CaptureModel
import Testing

@testable import CoordinatorRuntime

@Suite struct EventLogTests {
    private let own = Samples.epoch(1)
    private let node: NodeName
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        node = try NodeName("north")
    }

    private func numbered(_ sequence: UInt64, epoch: UInt64 = 7) -> NumberedEvent {
        NumberedEvent(epoch: Samples.epoch(epoch), sequence: sequence, event: event)
    }

    @Test("The feed's numbers have gaps or repeats")
    func oneSequence() {
        var log = EventLog(epoch: own)
        var sequences = [log.append(event).sequence]
        for number in UInt64(1)...3 { sequences.append(log.append(numbered(number), from: node)?.sequence ?? 0) }
        sequences.append(log.append(event).sequence)
        #expect(sequences == [1, 2, 3, 4, 5])
        #expect(log.lastSequence == 5)
        #expect(log.replay(epoch: own, after: 0, count: 9).events.map(\.node) == [nil, node, node, node, nil])
    }

    @Test("An event that a node sends again is told twice")
    func repeats() throws {
        var log = EventLog(epoch: own)
        #expect(log.append(numbered(1), from: node) != nil)
        #expect(log.append(numbered(3), from: node) != nil, "a gap is events that the node dropped")
        for number in UInt64(1)...3 { #expect(log.append(numbered(number), from: node) == nil) }
        #expect(log.append(numbered(1, epoch: 8), from: node) != nil, "another life counts for itself")
        #expect(log.append(numbered(1), from: try NodeName("south")) != nil, "and another node")
        #expect(log.lastSequence == 4)
    }

    @Test("A replay leaves out or repeats events, or hides that some are gone")
    func replay() {
        var log = EventLog(epoch: own, limit: 5)
        for _ in 0..<12 { _ = log.append(event) }
        func ask(_ epoch: Epoch?, _ after: UInt64, _ count: Int = 100) -> ([UInt64], Bool) {
            let replay = log.replay(epoch: epoch, after: after, count: count)
            #expect(replay.lastSequence == 12)
            return (replay.events.map(\.sequence), replay.isTruncated)
        }
        #expect(ask(own, 9) == ([10, 11, 12], false))
        #expect(ask(own, 7) == ([8, 9, 10, 11, 12], false))
        #expect(ask(own, 6) == ([8, 9, 10, 11, 12], true))
        #expect(ask(own, 12) == ([], false))
        #expect(ask(own, .max) == ([], false), "a number beyond the end does not trap")
        #expect(ask(own, 0, 2) == ([8, 9], true))
        #expect(ask(Samples.epoch(9), 11) == ([8, 9, 10, 11, 12], true), "another epoch begins with the first held")
        #expect(ask(nil, 0).0 == [8, 9, 10, 11, 12])
        #expect(EventLog(epoch: own).replay(epoch: nil, after: 0, count: 5).events.isEmpty)
    }
}
