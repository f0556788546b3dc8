public import CaptureModel
public import ControlMessages
import RigProtocol
import StrictJSON

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

    /// Reads the content on Swift's cooperative pool, whatever the caller is. The longest hello takes a tenth of a second, so the reading
    /// lets other work run after each report in it.
    /// - Throws: If a field is not valid, or a device is another node's.
    @concurrent public func content() async throws(WireError) -> NodeContent {
        guard var reading = try NodeMessageReading(body, from: node) else { return NodeContent() }
        while try reading.readReport() { await Task.yield() }
        return NodeContent(
            message: reading.message, ignoredMembers: reading.ignored.count, firstIgnored: reading.ignored.first)
    }

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

/// What a message of a node says.
public struct NodeContent: Sendable {
    /// nil for a kind of message that this version does not know.
    public internal(set) var message: NodeMessage?
    /// How many members of its reports this version does not know and has ignored.
    public internal(set) var ignoredMembers = 0
    /// The path of the first of these in its report; nil if there is none.
    public internal(set) var firstIgnored: String?
}
