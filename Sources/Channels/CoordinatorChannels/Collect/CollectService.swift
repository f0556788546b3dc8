import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import StorageKit
import ZeroMQ

/// The coordinator's end of the collect channel: decodes agents' messages for the ``Collector`` and encodes its
/// messages to nodes.
///
/// Reading never waits for a disk: the next message is read while the library works on a chunk.
actor CollectService {
    private let socket: RouterSocket
    private let rig: Rig
    private let collector: Collector
    private let authority: PeerAuthority
    private let log: Logger
    private var bindings = AgentBindings()
    private(set) var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    init(socket: RouterSocket, rig: Rig, collector: Collector, authority: PeerAuthority, log: Logger) {
        self.socket = socket
        self.authority = authority
        self.rig = rig
        self.collector = collector
        self.log = log
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sendOrders() }
            while let (peer, received) = await socket.receive() {
                await CoordinatorCollectWaitFault.received.reached()
                do {
                    try await handle(received, from: peer)
                } catch {
                    drop(.malformed, "\(error)")
                }
            }
            group.cancelAll()
        }
    }

    // MARK: Messages of agents

    private func handle(_ received: ReceivedMessage, from peer: PeerID) async throws {
        let message = received.message
        guard (1...2).contains(message.parts.count) else { throw DroppedMessages.Cause.malformed }
        let wire = try WireCoding.collect.decode(WireCollectFromAgent.self, from: message.parts[0].bytes)
        let node = try NodeName(wire.node)
        guard let epoch = Epoch(rawValue: wire.epoch) else { throw DroppedMessages.Cause.malformed }
        guard authority.permits(received, speakingFor: node) else {
            return drop(.foreignNode, "a message for node '\(node)', whose key the connection does not have")
        }
        if case .hello = wire.body { return await bind(peer, node, epoch) }
        guard bindings.speaks(peer, for: node, epoch) else {
            drop(.unknownPeer, "a message of node '\(node)' before its hello")
            return await send(.helloRequired(WireCollectHelloRequired()), to: peer)
        }
        switch wire.body {
        case .chunk(let chunk):
            guard message.parts.count == 2 else { throw DroppedMessages.Cause.malformed }
            try await accept(chunk, message.parts[1], from: node)
        case .chunkRefused(let refused):
            guard let key = try key(refused.file, of: node) else { return }
            await collector.refused(key, RigProblem(wire: refused.problem))
        case .released(let released):
            guard let key = try key(released.file, of: node) else { return }
            await collector.letGo(key)
        case .keepAlive: await send(.keepAlive(WireCollectKeepAlive()), to: peer)
        case .hello: break
        case nil: drop(.unknown, "a message without a body this version knows")
        }
    }

    private func accept(_ wire: WireChunk, _ payload: MessagePart, from node: NodeName) async throws {
        guard let key = try key(wire.file, of: node), payload.count == Int(clamping: wire.count) else {
            return drop(.unexpected, "a chunk of node '\(node)' of another node's file, or with a wrong size")
        }
        let chunk = CollectChunk(key: key, offset: wire.offset, count: wire.count)
        guard await collector.received(chunk, ReceivedChunk(payload: payload)) else {
            return drop(.unexpected, "a chunk of \(key) at \(wire.offset)")
        }
    }

    /// The file that a node names; nil if the file belongs to another node.
    private func key(_ file: WireFileKey, of node: NodeName) throws -> FileKey? {
        let key = try FileKey(wire: file)
        return key.capture.device.node == node ? key : nil
    }

    private func bind(_ peer: PeerID, _ node: NodeName, _ epoch: Epoch) async {
        guard await rig.heard(from: node, epoch: epoch) else {
            return drop(.unknownPeer, "node '\(node)' has not said hello on the control channel")
        }
        let connected = bindings.isFull ? await rig.connectedNodes : nil
        for other in bindings.bind(peer, to: node, epoch, keeping: connected) { await collector.disconnected(other) }
        await collector.connected(node)
    }

    // MARK: Messages to nodes

    private func sendOrders() async {
        for await order in collector.orders {
            guard let peer = bindings.peer(of: order.node) else { continue }
            await send(order.wire, to: peer)
        }
    }

    private func send(_ body: WireCollectFromCoordinator.OneOf_Body, to peer: PeerID) async {
        var message = WireCollectFromCoordinator()
        message.epoch = rig.epoch.rawValue
        message.agentEpoch = bindings.epoch(of: peer)?.rawValue ?? 0
        message.body = body
        guard let bytes = try? WireCoding.collect.encode(message) else { return }
        let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: CoordinatorCollectSendFault(body)) {
            await socket.send($0.0, to: $0.1)
        }
        guard case .refused(let refusal) = outcome else { return }
        guard refusal == .unknownPeer else { return drop(.unsent, "\(refusal)") }
        if let node = bindings.unbind(peer) { await collector.disconnected(node) }
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("collect messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}

extension CollectOrder {
    fileprivate var wire: WireCollectFromCoordinator.OneOf_Body {
        switch self {
        case .request(let chunk):
            var request = WireChunkRequest()
            request.file = chunk.key.wire
            request.offset = chunk.offset
            request.count = chunk.count
            return .chunkRequest(request)
        case .release(let key, let digest):
            var durable = WireDurable()
            durable.file = key.wire
            if let digest { durable.sha256 = digest.wire } else { durable.failed = true }
            return .durable(durable)
        }
    }
}

/// The bytes of a chunk, which are written and hashed in the buffer that received them.
private struct ReceivedChunk: AssetBytes {
    let payload: MessagePart

    var count: Int { payload.count }

    func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R { try payload.withSpan(body) }
}
