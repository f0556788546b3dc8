/// A request about one device, or about a node.
public struct DeviceRequest: Hashable, Sendable {
    /// The timeout if the request does not give one.
    public static let defaultTimeout = Duration.seconds(10)

    /// The device or node that a request is about.
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
    /// nil if this version does not know the command. The node refuses it.
    public let command: DeviceCommand?
    /// The id that repeats of the request share; nil if each of them is executed.
    public let id: UInt64?

    /// - Parameter id: Chosen at random, so that it differs from those of other clients; not 0.
    public init(
        _ subject: Subject, timeout: Duration = defaultTimeout, command: DeviceCommand?, id: UInt64? = nil
    ) {
        self.subject = subject
        self.timeout = timeout
        self.command = command
        self.id = id
    }

    public init(
        device: DeviceID, timeout: Duration = defaultTimeout, command: DeviceCommand?, id: UInt64? = nil
    ) {
        self.init(.device(device), timeout: timeout, command: command, id: id)
    }

    /// The node that executes it.
    public var node: NodeName {
        switch subject {
        case .device(let device): device.node
        case .node(let node): node
        }
    }
}
