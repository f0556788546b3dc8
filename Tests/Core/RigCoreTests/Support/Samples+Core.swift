import CaptureModel
import Journal
import RigTestSupport

@testable import RigCore

extension Samples {
    static func device(_ id: String, state: DeviceCondition.State = .running) throws -> RosterDevice {
        let status = try status(id, state: state)
        return RosterDevice(description: status.device, condition: status.condition)
    }

    static func agent(_ epoch: UInt64 = 1, boot: String = "boot-1", ringDepth: Duration = .seconds(3)) -> ConnectedAgent
    {
        ConnectedAgent(
            epoch: Self.epoch(epoch), bootID: boot, software: "test", ringDepth: ringDepth,
            clockBound: .microseconds(100), spoolFreeBytes: 1 << 30)
    }

    /// A hello of a node with one camera.
    static func hello(_ node: String, epoch: UInt64 = 1, inventory: [CaptureReport] = []) throws -> AgentHello {
        AgentHello(
            node: try NodeName(node),
            agent: ConnectedAgent(
                epoch: Samples.epoch(epoch), bootID: "boot-\(node)", software: "test", ringDepth: .seconds(3)),
            devices: [try status("\(node)/cam")], inventory: inventory)
    }

    /// Events of a node's life `epoch`.
    static func batch(
        _ numbers: ClosedRange<UInt64>, of event: RigEvent, after previous: UInt64? = nil, epoch: UInt64 = 1
    ) -> EventBatch {
        EventBatch(
            follows: previous.map { EventPosition(epoch: Self.epoch(epoch), sequence: $0) },
            entries: numbers.map {
                EventBatch.Entry(
                    position: EventPosition(epoch: Self.epoch(epoch), sequence: $0), event: .success(event))
            })
    }

    static func requester(_ number: UInt8 = 1) -> RequesterToken {
        RequesterToken(frontEnd: "test", bytes: [number])
    }
}
