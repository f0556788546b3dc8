public import CaptureModel
public import RigProtocol

extension DeviceStatus {
    public init(wire: WireDeviceStatus) throws(WireError) {
        let reader = FieldReader("DeviceStatus")
        self.init(
            device: try DeviceDescription(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")))
    }

    public var wire: WireDeviceStatus {
        var wire = WireDeviceStatus()
        wire.device = device.wire
        wire.condition = condition.wire
        return wire
    }
}
