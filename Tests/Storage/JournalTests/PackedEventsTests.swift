import CaptureModel
import Testing

@testable import Journal

@Suite struct PackedEventsTests {
    private func event(_ sequence: UInt64, _ document: [UInt8]) -> JournaledEvent {
        JournaledEvent(
            position: EventPosition(epoch: Epoch(rawValue: 7) ?? .random(), sequence: sequence), document: document)
    }

    @Test("An event has bytes of its neighbour, or those of one that was removed")
    func ownBytes() {
        var packed = PackedEvents()
        let events = (1...9).map { event($0, Array(repeating: UInt8($0), count: Int($0) % 4)) }
        for event in events { packed.append(event) }
        #expect((0..<packed.count).map { packed[$0] } == events)
        packed.removeAll { $0.sequence % 3 == 1 }
        #expect((0..<packed.count).map { packed[$0].position.sequence } == [2, 3, 5, 6, 8, 9])
        packed.append(event(10, [1, 2]))
        #expect((0..<packed.count).map { packed[$0] }.allSatisfy { $0 == event($0.position.sequence, $0.document) })
        #expect(packed[6].document == [1, 2] && packed[0].document == [2, 2])
        packed.removeAll { _ in true }
        packed.append(event(11, [3]))
        #expect(packed.count == 1 && packed[0] == event(11, [3]))
    }
}
