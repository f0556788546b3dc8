public import CaptureModel
public import RigProtocol

extension DeviceID {
    public init(wire: WireDeviceId) throws(WireError) {
        let reader = FieldReader("DeviceId")
        self.init(node: try reader.name(wire.node, "node"), device: try reader.name(wire.device, "device"))
    }

    public var wire: WireDeviceId {
        var wire = WireDeviceId()
        wire.node = node.rawValue
        wire.device = device.rawValue
        return wire
    }
}
