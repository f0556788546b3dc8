public import CaptureModel
public import RigProtocol

/// A request about one device, or about a node, checked but for its command, which only the node can judge.
public struct DeviceRequest: Equatable, Sendable {
    /// How long an answer may take when the request does not say.
    public static let defaultTimeout = Duration.seconds(10)

    /// Whom a request is about.
    public enum Subject: Hashable, Sendable, CustomStringConvertible {
        case device(DeviceID)
        case node(NodeName)

        public var description: String {
            switch self {
            case .device(let device): device.description
            case .node(let node): node.description
            }
        }
    }

    public let subject: Subject
    public let timeout: Duration
    /// nil where this version does not know the command.
    public let command: WireDeviceRequest.OneOf_Command?

    public init(device: DeviceID, timeout: Duration = defaultTimeout, command: WireDeviceRequest.OneOf_Command) {
        self.init(.device(device), timeout: timeout, command: command)
    }

    public init(_ subject: Subject, timeout: Duration = defaultTimeout, command: WireDeviceRequest.OneOf_Command) {
        self.subject = subject
        self.timeout = timeout
        self.command = command
    }

    /// The node that carries it out.
    public var node: NodeName {
        switch subject {
        case .device(let device): device.node
        case .node(let node): node
        }
    }

    public init(wire: WireDeviceRequest) throws(WireError) {
        let reader = FieldReader("DeviceRequest")
        if wire.node.isEmpty {
            subject = .device(try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")))
        } else {
            guard !wire.hasDevice else { throw reader.invalid("node", "is given beside a device") }
            subject = .node(try reader.name(wire.node, "node"))
        }
        let nanoseconds = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.deviceTimeout)
        timeout = nanoseconds == 0 ? Self.defaultTimeout : .nanoseconds(nanoseconds)
        command = wire.command
    }

    public var wire: WireDeviceRequest {
        var wire = WireDeviceRequest()
        switch subject {
        case .device(let device): wire.device = device.wire
        case .node(let node): wire.node = node.rawValue
        }
        wire.timeoutNs = timeout.nanoseconds
        wire.command = command
        return wire
    }
}
