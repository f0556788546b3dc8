/// A device with its condition, as hello, heartbeat and the list of devices carry it.
public struct DeviceStatus: Hashable, Codable, Sendable {
    public var device: DeviceDescription
    public var condition: DeviceCondition

    public init(device: DeviceDescription, condition: DeviceCondition) {
        self.device = device
        self.condition = condition
    }
}
