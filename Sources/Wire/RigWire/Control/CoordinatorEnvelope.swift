public import CaptureModel
public import ControlMessages
import RigProtocol

/// A message of the coordinator as it arrives at a node: the runs between which it passes, and content that is not
/// checked yet. So a sign of life counts whatever else the message says.
public struct CoordinatorEnvelope: Sendable {
    /// The run of the coordinator that sent it; nil if the message does not name one.
    public let coordinator: Epoch?
    /// The run of the agent that is addressed; nil if the message does not name one.
    public let agent: Epoch?
    private let body: WireCoordinatorMessage.OneOf_Body?

    /// - Throws: If the bytes are not a message.
    public init(bytes: [UInt8]) throws(WireError) {
        let wire = try WireCoding.control.decode(WireCoordinatorMessage.self, from: bytes)
        coordinator = Epoch(rawValue: wire.epoch)
        agent = Epoch(rawValue: wire.agentEpoch)
        body = wire.body
    }

    /// Returns the content; nil for a kind of message that this version does not know.
    /// - Parameter node: The node that has received it.
    /// - Throws: If a field is not valid.
    public func message(to node: NodeName) throws(WireError) -> CoordinatorMessage? {
        try CoordinatorMessage(wire: body, to: node)
    }

    /// Encodes a message.
    /// - Throws: `oversized` if the node would refuse the message.
    public static func bytes(
        of message: CoordinatorMessage, from coordinator: Epoch, to agent: Epoch
    ) throws(WireError) -> [UInt8] {
        var wire = WireCoordinatorMessage()
        wire.epoch = coordinator.wire
        wire.agentEpoch = agent.wire
        wire.body = message.wire
        return try WireCoding.control.encode(wire)
    }
}
