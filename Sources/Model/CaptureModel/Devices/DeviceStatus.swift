/// A device with its condition, as in the hello, the heartbeat and the list of devices.
public struct DeviceStatus: Hashable, Codable, Sendable {
    public var device: DeviceDescription
    public var condition: DeviceCondition

    public init(device: DeviceDescription, condition: DeviceCondition) {
        self.device = device
        self.condition = condition
    }
}
