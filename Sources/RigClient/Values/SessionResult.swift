public import CaptureModel
internal import RigProtocol
internal import RigWire

/// How a device's session stands after a command.
public struct SessionResult: Hashable, Sendable {
    /// The device that is the session's input: after a switch, the one that took the place.
    public var device: DeviceID
    public var condition: DeviceCondition
    /// What a switch changed of the outputs' options, a sentence each.
    public var changes: [String]

    public init(device: DeviceID, condition: DeviceCondition, changes: [String] = []) {
        self.device = device
        self.condition = condition
        self.changes = changes
    }
}

extension SessionResult {
    init(wire: WireSessionResult) throws(WireError) {
        let reader = FieldReader("SessionResult")
        device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        condition = try DeviceCondition(wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition"))
        changes = try reader.list(wire.changes, "changes", limit: WireLimits.labels)
            .map { $0.sentence(limit: WireLimits.reasonByteCount) }
    }
}
