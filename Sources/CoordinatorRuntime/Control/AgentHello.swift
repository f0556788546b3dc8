import CaptureModel
import RigProtocol
import RigWire

/// A hello, checked.
struct AgentHello: Sendable {
    static let protocolVersion: UInt32 = 1

    var node: NodeName
    var agent: ConnectedAgent
    var devices: [DeviceStatus]
    var inventory: [CaptureReport]
    /// Whether the spool holds captures that the inventory does not list.
    var isInventoryTruncated: Bool

    /// - Throws: `WireError` or `InvalidName` where a field is not valid.
    init(_ wire: WireHello, from node: NodeName, epoch: Epoch) throws {
        let reader = FieldReader("Hello")
        guard wire.protocolVersion == Self.protocolVersion else {
            throw reader.invalid(
                "protocol_version",
                "is \(wire.protocolVersion), the coordinator speaks \(Self.protocolVersion); install equal versions")
        }
        self.node = node
        agent = ConnectedAgent(
            epoch: epoch, bootID: try reader.word(wire.bootID, "boot_id"), software: String(wire.software.prefix(64)),
            ringDepth: .nanoseconds(wire.ringDepthNs), clockBound: nil, spoolUsedBytes: 0, spoolFreeBytes: 0,
            busLibrary: wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil,
            frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil)
        devices = try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerNode).map {
            try DeviceStatus(wire: $0)
        }
        inventory = try reader.list(wire.inventory, "inventory", limit: WireLimits.inventory).map {
            try CaptureReport(wire: $0)
        }
        isInventoryTruncated = wire.inventoryTruncated
        guard devices.allSatisfy({ $0.device.id.node == node }), inventory.allSatisfy({ $0.key.device.node == node })
        else {
            throw reader.invalid("devices", "names a device of another node")
        }
    }
}
