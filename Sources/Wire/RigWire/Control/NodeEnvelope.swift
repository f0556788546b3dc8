public import CaptureModel
public import ControlMessages
import RigProtocol

/// A message of a node as it arrives at the coordinator: the sender, and content that is not checked yet. So a sign of
/// life counts whatever else the message says.
public struct NodeEnvelope: Sendable {
    public let node: NodeName
    /// The run of the agent that sent it.
    public let epoch: Epoch
    /// The run of the coordinator that is addressed; nil in a hello.
    public let coordinator: Epoch?
    private let body: WireAgentMessage.OneOf_Body?

    /// - Throws: If the bytes are not a message, or the sender is not valid.
    public init(bytes: [UInt8]) throws(WireError) {
        let wire = try WireCoding.control.decode(WireAgentMessage.self, from: bytes)
        let reader = FieldReader("AgentMessage")
        node = try reader.name(wire.node, "node")
        epoch = try reader.epoch(wire.epoch)
        coordinator = Epoch(rawValue: wire.coordinatorEpoch)
        body = wire.body
    }

    /// The number of a heartbeat; nil for another message.
    public var heartbeatSequence: UInt64? {
        if case .heartbeat(let heartbeat) = body { heartbeat.sequence } else { nil }
    }

    /// Whether the message is a hello, valid or not.
    public var isHello: Bool {
        if case .hello = body { true } else { false }
    }

    /// Returns the content; nil for a kind of message that this version does not know.
    /// - Throws: If a field is not valid, or a device is another node's.
    public func message() throws(WireError) -> NodeMessage? { try NodeMessage(wire: body, from: node) }

    /// Encodes a message.
    /// - Parameter coordinator: The coordinator that the node has joined; nil if it has joined none.
    /// - Throws: `oversized` if the coordinator would refuse the message.
    public static func bytes(
        of message: NodeMessage, from node: NodeName, epoch: Epoch, to coordinator: Epoch?
    ) throws(WireError) -> [UInt8] {
        var wire = WireAgentMessage()
        wire.node = node.rawValue
        wire.epoch = epoch.wire
        wire.coordinatorEpoch = coordinator?.wire ?? 0
        wire.body = message.wire
        return try WireCoding.control.encode(wire)
    }
}
