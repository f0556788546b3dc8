/// A request about one device, or about a node.
public struct DeviceRequest: Hashable, Sendable {
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
    /// nil where this version does not know the command; the node refuses it.
    public let command: DeviceCommand?
    /// What repeats of the request have in common; nil where each of them is carried out.
    public let id: UInt64?

    /// - Parameter id: Chosen at random, so that no other client's is the same; not 0.
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

    /// The node that carries it out.
    public var node: NodeName {
        switch subject {
        case .device(let device): device.node
        case .node(let node): node
        }
    }
}
