public import CaptureModel

/// The devices of a rig: `capctl devices list`.
public struct DevicesDocument: Encodable, Sendable {
    var devices: [Item]

    /// A device with its condition.
    struct Item: Encodable {
        var condition: DeviceConditionDocument
        var device: DeviceDescription
    }

    public init(_ devices: [DeviceStatus]) {
        self.devices = devices.map { status in
            Item(condition: DeviceConditionDocument(status.condition), device: status.device)
        }
    }
}

/// Devices that were removed from the roster: `capctl devices forget`.
public struct ForgottenDevicesDocument: Encodable, Sendable {
    var forgotten: [DeviceID]

    public init(_ devices: [DeviceID]) {
        forgotten = devices
    }
}
