public import CaptureModel
public import RigProtocol

extension SessionResult {
    public init(wire: WireSessionResult) throws(WireError) {
        let reader = FieldReader("SessionResult")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")),
            changes: try reader.list(wire.changes, "changes", limit: WireLimits.labels)
                .map { $0.sentence(limit: WireLimits.reasonByteCount) })
    }

    public var wire: WireSessionResult {
        var wire = WireSessionResult()
        wire.device = device.wire
        wire.condition = condition.wire
        wire.changes = changes
        return wire
    }
}
