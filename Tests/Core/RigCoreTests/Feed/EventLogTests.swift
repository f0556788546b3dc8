import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

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

    @Test("An event that an earlier life of the coordinator has published is published again")
    func journaled() throws {
        var first = EventLog(epoch: Samples.epoch(2))
        let published = [first.append(event), first.append(numbered(4), from: node)].compactMap(\.self)
        var log = EventLog(epoch: own, journaled: published)
        #expect(log.append(numbered(4), from: node) == nil)
        #expect(log.append(numbered(5), from: node)?.sequence == 1, "its own numbers begin with one")
        #expect(log.append(numbered(1, epoch: 8), from: node) != nil)
    }
}
