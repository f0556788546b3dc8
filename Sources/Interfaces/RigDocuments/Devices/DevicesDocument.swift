public import CaptureModel

/// The devices of a rig: `capctl devices list`.
public struct DevicesDocument: Encodable, Sendable {
    var devices: [Item]

    /// A device with its condition.
    struct Item: Encodable {
        var condition: DeviceConditionDocument
        var device: DeviceDescription
        /// Why the camera has no live pictures while it streams; absent if it has them.
        var livePictureProblem: String?

        init(_ status: DeviceStatus) {
            condition = DeviceConditionDocument(status.condition)
            device = status.device
            livePictureProblem = status.livePictureProblem
        }
    }

    public init(_ devices: [DeviceStatus]) {
        self.devices = devices.map(Item.init)
    }
}

/// Devices that were removed from the roster: `capctl devices forget`.
public struct ForgottenDevicesDocument: Encodable, Sendable {
    var forgotten: [DeviceID]

    public init(_ devices: [DeviceID]) {
        forgotten = devices
    }
}
