public import CaptureModel

/// A node's answer to a request about a device or its spool.
public struct DeviceAnswer: Hashable, Sendable {
    /// The number of the request.
    public var number: UInt64
    /// The condition of all devices when the answer was sent; empty if the request was not about a device.
    public var devices: [DeviceStatus]
    public var outcome: Result<DeviceReply, RigProblem>

    public init(number: UInt64, devices: [DeviceStatus] = [], outcome: Result<DeviceReply, RigProblem>) {
        self.number = number
        self.devices = devices
        self.outcome = outcome
    }
}
