import CaptureModel
import RigCore
import ZeroMQ

/// Which connection of a channel speaks for which node's agent: one for each node, as its last hello has said.
struct AgentBindings: Sendable {
    /// What a hello has bound to a connection.
    struct Agent: Hashable, Sendable {
        var node: NodeName
        var epoch: Epoch
    }

    private var agents: [PeerID: Agent] = [:]
    private var peers: [NodeName: PeerID] = [:]

    /// The connection of a node; nil where none is bound.
    func peer(of node: NodeName) -> PeerID? { peers[node] }

    /// The life of the agent that a connection speaks for.
    func epoch(of peer: PeerID) -> Epoch? { agents[peer]?.epoch }

    /// Whether a connection speaks for this life of a node's agent.
    func speaks(_ peer: PeerID, for node: NodeName, _ epoch: Epoch) -> Bool {
        agents[peer] == Agent(node: node, epoch: epoch)
    }

    /// Binds a connection in place of the node's former one; it speaks for no other node from then on.
    /// - Parameter connected: The nodes that are not gone, asked for only where there are too many connections: those of
    ///   nodes that have gone are let go of, which nothing else tells of.
    mutating func bind(
        _ peer: PeerID, to node: NodeName, _ epoch: Epoch, keeping connected: Set<NodeName>?
    ) {
        if let previous = peers[node] { unbind(previous) }
        unbind(peer)
        if let connected { for (node, peer) in peers where !connected.contains(node) { unbind(peer) } }
        agents[peer] = Agent(node: node, epoch: epoch)
        peers[node] = peer
    }

    /// Whether a further node finds a place only when those that have gone lose theirs.
    var isFull: Bool { peers.count >= Roster.nodeLimit }

    mutating func unbind(_ peer: PeerID) {
        guard let agent = agents.removeValue(forKey: peer) else { return }
        if peers[agent.node] == peer { peers[agent.node] = nil }
    }
}
