import CaptureModel
import DequeModule
import RigCore
import ZeroMQ

/// Messages that wait for others of their node, in order. Nodes do not wait for each other.
///
/// A node has a lane only while it has messages waiting, so unknown names use space only briefly. Messages beyond a
/// bound are refused. There are bounds of messages and bytes of one node, of nodes, and of bytes of all nodes together,
/// since a peer that can connect may use any number of names. Bytes are counted as received; decoded messages take a
/// small multiple.
struct NodeLanes<Element: Sendable>: Sendable {
    static var laneLimit: Int { Roster.nodeLimit }
    static var laneLength: Int { 4096 }
    static var laneByteLimit: Int { 16 << 20 }
    static var byteLimit: Int { 64 << 20 }

    enum Admission: Equatable {
        /// The first message of its node: the caller has to begin to process the lane.
        case opened
        case queued
        /// Too many nodes have lanes.
        case noLane
        /// The node, or all nodes together, have too much waiting.
        case full
    }

    private struct Lane {
        var messages: Deque<(element: Element, byteCount: Int)> = []
        var byteCount = 0
    }

    private var lanes: [NodeName: Lane] = [:]
    private(set) var byteCount = 0

    mutating func append(_ element: Element, byteCount added: Int, for node: NodeName) -> Admission {
        let isOpen = lanes[node] != nil
        guard isOpen || lanes.count < Self.laneLimit else { return .noLane }
        var lane = lanes.removeValue(forKey: node) ?? Lane()
        let fits =
            lane.messages.count < Self.laneLength && lane.byteCount + added <= Self.laneByteLimit
            && byteCount + added <= Self.byteLimit
        if fits {
            lane.messages.append((element, added))
            lane.byteCount += added
            byteCount += added
        }
        if !lane.messages.isEmpty { lanes[node] = lane }
        return fits ? (isOpen ? .queued : .opened) : .full
    }

    /// The next message of a node. It stays in the lane, so that later messages wait behind it.
    func first(of node: NodeName) -> Element? { lanes[node]?.messages.first?.element }

    /// Removes the next message, and the lane with its last message.
    mutating func removeFirst(of node: NodeName) {
        guard var lane = lanes.removeValue(forKey: node), let first = lane.messages.popFirst() else { return }
        lane.byteCount -= first.byteCount
        byteCount -= first.byteCount
        if !lane.messages.isEmpty { lanes[node] = lane }
    }
}

/// Which connection of a channel represents which node's agent: one for each node, set by the last hello.
struct AgentBindings: Sendable {
    /// The agent that a hello has bound to a connection.
    struct Agent: Hashable, Sendable {
        var node: NodeName
        var epoch: Epoch
    }

    private var agents: [PeerID: Agent] = [:]
    private var peers: [NodeName: PeerID] = [:]

    /// The connection of a node; nil if none is bound.
    func peer(of node: NodeName) -> PeerID? { peers[node] }

    /// The epoch of the agent that a connection represents.
    func epoch(of peer: PeerID) -> Epoch? { agents[peer]?.epoch }

    /// Whether a connection represents this epoch of a node's agent.
    func speaks(_ peer: PeerID, for node: NodeName, _ epoch: Epoch) -> Bool {
        agents[peer] == Agent(node: node, epoch: epoch)
    }

    /// Binds a connection in place of the node's former one. The connection represents no other node from then on.
    /// - Parameter connected: The nodes that are connected. Called only if there are too many connections: then those
    ///   of nodes that are gone are removed, since nothing else reports them.
    /// - Returns: Other nodes that no longer have a connection.
    @discardableResult
    mutating func bind(
        _ peer: PeerID, to node: NodeName, _ epoch: Epoch, keeping connected: Set<NodeName>?
    ) -> [NodeName] {
        if let previous = peers[node] { unbind(previous) }
        var unbound = [unbind(peer)]
        if let connected { for (node, peer) in peers where !connected.contains(node) { unbound.append(unbind(peer)) } }
        agents[peer] = Agent(node: node, epoch: epoch)
        peers[node] = peer
        return unbound.compactMap(\.self).filter { $0 != node }
    }

    /// Whether a further node is accepted only if nodes that are gone lose their places.
    var isFull: Bool { peers.count >= Roster.nodeLimit }

    /// - Returns: The node that no longer has a connection.
    @discardableResult
    mutating func unbind(_ peer: PeerID) -> NodeName? {
        guard let agent = agents.removeValue(forKey: peer), peers[agent.node] == peer else { return nil }
        peers[agent.node] = nil
        return agent.node
    }
}
