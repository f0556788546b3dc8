public import CaptureModel
public import RigProtocol

/// A request about one device, checked but for its command, which only the device's node can judge.
public struct DeviceRequest: Equatable, Sendable {
    /// How long an answer may take when the request does not say.
    public static let defaultTimeout = Duration.seconds(10)

    public let device: DeviceID
    public let timeout: Duration
    /// nil where this version does not know the command.
    public let command: WireDeviceRequest.OneOf_Command?

    public init(device: DeviceID, timeout: Duration = defaultTimeout, command: WireDeviceRequest.OneOf_Command) {
        self.device = device
        self.timeout = timeout
        self.command = command
    }

    public init(wire: WireDeviceRequest) throws(WireError) {
        let reader = FieldReader("DeviceRequest")
        device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        let nanoseconds = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.deviceTimeout)
        timeout = nanoseconds == 0 ? Self.defaultTimeout : .nanoseconds(nanoseconds)
        command = wire.command
    }

    public var wire: WireDeviceRequest {
        var wire = WireDeviceRequest()
        wire.device = device.wire
        wire.timeoutNs = timeout.nanoseconds
        wire.command = command
        return wire
    }
}
