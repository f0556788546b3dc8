import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigProtocol
import RigWire
import Testing

/// Every message of the control channel goes through its bytes, in both directions.
@Suite struct ControlRoundTripTests {
    @Test("Carries each field of each message of a node to the coordinator", arguments: 1...60 as ClosedRange<UInt64>)
    func nodeMessages(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for kind in NodeMessageKind.allCases {
            let node: NodeName = try generator.name()
            let message = try generator.nodeMessage(kind, of: node)
            #expect(NodeMessageKind(message) == kind)
            let epoch = Epoch.random(using: &generator)
            let coordinator = generator.maybe { Epoch.random(using: &$0) }
            let envelope = try NodeEnvelope(
                bytes: NodeEnvelope.bytes(of: message, from: node, epoch: epoch, to: coordinator))
            #expect(envelope.node == node && envelope.epoch == epoch && envelope.coordinator == coordinator)
            let content = try await envelope.content()
            #expect(content.message == message && content.ignoredMembers == 0, "\(content.firstIgnored ?? "")")
            #expect(envelope.isHello == (kind == .hello) && (envelope.heartbeatSequence != nil) == (kind == .heartbeat))
        }
    }

    @Test("Carries each field of each message of the coordinator to a node", arguments: 1...60 as ClosedRange<UInt64>)
    func coordinatorMessages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for kind in CoordinatorMessageKind.allCases {
            let node: NodeName = try generator.name()
            let message = try generator.coordinatorMessage(kind, to: node)
            #expect(CoordinatorMessageKind(message) == kind)
            let (coordinator, agent) = (Epoch.random(using: &generator), Epoch.random(using: &generator))
            let envelope = try CoordinatorEnvelope(
                bytes: CoordinatorEnvelope.bytes(of: message, from: coordinator, to: agent))
            #expect(envelope.coordinator == coordinator && envelope.agent == agent)
            #expect(try envelope.message(to: node) == message)
        }
    }

    @Test("Carries an event and a request that are not valid as not valid, under their numbers")
    func invalidParts() throws {
        var generator = SeededGenerator(seed: 1)
        let node: NodeName = try generator.name()
        let position = EventPosition(epoch: .random(using: &generator), sequence: 7)
        let batch = EventBatch(
            entries: [EventBatch.Entry(position: position, event: .failure(generator.problem()))])
        guard case .events(let events)? = try NodeMessage(wire: NodeMessage.events(batch).wire, from: node) else {
            Issue.record("no events")
            return
        }
        #expect(events.entries.map(\.position) == [position])
        #expect(events.entries.map { (try? $0.event.get()) != nil } == [false])
        let order = NodeOrder.deviceRequest(
            NumberedDeviceRequest(number: 9, request: .failure(generator.problem())))
        guard
            case .order(.deviceRequest(let request))? = try CoordinatorMessage(
                wire: CoordinatorMessage.order(order).wire, to: node)
        else {
            Issue.record("no request")
            return
        }
        #expect(request.number == 9 && (try? request.request.get()) == nil)
    }

    @Test("Knows a message without content as one of another version")
    func unknown() throws {
        let node = try NodeName("north")
        #expect(try NodeMessage(wire: nil, from: node) == nil)
        #expect(try CoordinatorMessage(wire: nil, to: node) == nil)
    }
}
