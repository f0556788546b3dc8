import CaptureModel
import FaultPoints
import Logging
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire
import ZeroMQ

/// The coordinator's end of the control channel: maps connections to nodes, and drops messages of other connections.
/// Its queues to agents are the socket's: bounded, per peer.
actor ControlService {
    private let socket: RouterSocket
    private let rig: Rig
    private let authority: PeerAuthority
    /// nil without keys.
    private let key: (any CoordinatorKey)?
    private let clockPort: UInt16
    private let collectPort: UInt16
    private let log: Logger
    private var bindings = AgentBindings()
    private var lanes = NodeLanes<Incoming>()
    private(set) var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    /// A message whose envelope is valid.
    private struct Incoming: Sendable {
        var message: WireAgentMessage
        var node: NodeName
        var epoch: Epoch
        var peer: PeerID
    }

    init(
        socket: RouterSocket, rig: Rig, authority: PeerAuthority, key: (any CoordinatorKey)? = nil, clockPort: UInt16,
        collectPort: UInt16, log: Logger
    ) {
        self.socket = socket
        self.rig = rig
        self.authority = authority
        self.key = key
        self.log = log
        self.clockPort = clockPort
        self.collectPort = collectPort
    }

    /// Serves until the task is cancelled.
    ///
    /// A sign of life is recorded and answered at receipt. The work of a message is done in a lane of its node, in
    /// order. So a node that has to wait for a disk delays neither other nodes nor heartbeats.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let (peer, received) = await socket.receive() {
                await CoordinatorControlWaitFault.received.reached()
                do {
                    guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
                    let bytes = received.message.parts[0].bytes
                    let message = try WireCoding.control.decode(WireAgentMessage.self, from: bytes)
                    let node = try NodeName(message.node)
                    guard let epoch = Epoch(rawValue: message.epoch) else { throw DroppedMessages.Cause.malformed }
                    guard authority.permits(received, speakingFor: node) else {
                        drop(.foreignNode, "a message for node '\(node)', whose key the connection does not have")
                        continue
                    }
                    let isCurrent = await rig.heard(from: node, epoch: epoch)
                    if isCurrent, case .heartbeat(let heartbeat) = message.body,
                        bindings.speaks(peer, for: node, epoch),
                        message.coordinatorEpoch == rig.epoch.rawValue
                    {
                        await acknowledge(heartbeat, to: node)
                    }
                    let incoming = Incoming(message: message, node: node, epoch: epoch, peer: peer)
                    enqueue(incoming, byteCount: bytes.count, in: &group)
                } catch {
                    drop(.malformed, "\(error)")
                }
            }
            group.cancelAll()
        }
    }

    private func enqueue(_ incoming: Incoming, byteCount: Int, in group: inout DiscardingTaskGroup) {
        let node = incoming.node
        switch lanes.append(incoming, byteCount: byteCount, for: node) {
        case .opened: group.addTask { await self.work(off: node) }
        case .queued: break
        case .noLane: drop(.unknownPeer, "more than \(NodeLanes<Incoming>.laneLimit) nodes")
        case .full: drop(.unexpected, "too many messages of one node or of all nodes are waiting")
        }
    }

    private func work(off node: NodeName) async {
        while let incoming = lanes.first(of: node) {
            await CoordinatorControlWaitFault.work.reached()
            await handle(incoming)
            lanes.removeFirst(of: node)
        }
    }

    private func handle(_ incoming: Incoming) async {
        do {
            try await carryOut(incoming)
        } catch {
            drop(.malformed, "\(error)")
        }
    }

    /// Sends to a node's agent; does nothing if no agent is bound to the node.
    func send(_ command: AgentOrder, to node: NodeName) async {
        await send(command.wire, to: node)
    }

    private func send(_ body: ControlBody, to node: NodeName) async {
        guard let peer = bindings.peer(of: node), let epoch = bindings.epoch(of: peer) else { return }
        await send(body, to: peer, agentEpoch: epoch.rawValue)
    }

    private func carryOut(_ incoming: Incoming) async throws {
        let (message, node, epoch, peer) = (incoming.message, incoming.node, incoming.epoch, incoming.peer)
        if case .hello(let hello) = message.body { return try await greet(hello, node, epoch, peer) }
        guard bindings.speaks(peer, for: node, epoch) else {
            drop(.unknownPeer, "a message of node '\(node)' before its hello")
            return await send(AgentOrder.helloRequired.wire, to: peer, agentEpoch: epoch.rawValue)
        }
        guard message.coordinatorEpoch == rig.epoch.rawValue else {
            return drop(.oldEpoch, "a message for coordinator epoch \(message.coordinatorEpoch)")
        }
        guard await rig.heard(from: node, epoch: epoch) else {
            bindings.unbind(peer)
            drop(.oldEpoch, "a message of an agent that another one has replaced")
            return await send(AgentOrder.helloRequired.wire, to: peer, agentEpoch: epoch.rawValue)
        }
        try await carryOut(message.body, from: node)
    }

    private func acknowledge(_ heartbeat: WireHeartbeat, to node: NodeName) async {
        var ack = WireHeartbeatAck()
        ack.sequence = heartbeat.sequence
        await send(.heartbeatAck(ack), to: node)
    }

    private func carryOut(_ body: WireAgentMessage.OneOf_Body?, from node: NodeName) async throws {
        guard let message = try AgentMessage(wire: body, from: node) else {
            return drop(.unknown, "a message without a body this version knows")
        }
        for fault in await rig.accept(message, from: node) { drop(fault) }
    }

    private func greet(_ wire: WireHello, _ node: NodeName, _ epoch: Epoch, _ peer: PeerID) async throws {
        let hello: AgentHello
        do {
            hello = try AgentHello(wire: wire, from: node, epoch: epoch)
        } catch {
            await refuse(
                RigProblem(.protocolViolation, "the hello of node '\(node)' is not valid: \(error)"), peer, epoch)
            throw error
        }
        let hasRestarted: Bool
        switch await rig.admit(hello) {
        case .success(let restarted): hasRestarted = restarted
        case .failure(let problem): return await refuse(problem, peer, epoch)
        }
        let connected = bindings.isFull ? await rig.connectedNodes : nil
        bindings.bind(peer, to: node, epoch, keeping: connected)
        await send(.welcome(welcome()), to: peer, agentEpoch: epoch.rawValue)
        if let snapshot = authority.snapshot {
            await send(.viewers(snapshot.viewers), to: peer, agentEpoch: epoch.rawValue)
        }
        if let key { await send(.coordinatorKey(key.publicKey.message), to: peer, agentEpoch: epoch.rawValue) }
        for fault in await rig.reconcile(hello, epochChanged: hasRestarted) { drop(fault) }
    }

    private func welcome() -> WireWelcome {
        var welcome = WireWelcome()
        welcome.protocolVersion = ProtocolVersion.current
        welcome.rigClockID = rig.clockID.rawValue
        welcome.clockPort = UInt32(clockPort)
        welcome.collectPort = UInt32(collectPort)
        welcome.heartbeatIntervalNs = rig.settings.heartbeatInterval.nanoseconds
        welcome.heartbeatTimeoutNs = rig.settings.heartbeatTimeout.nanoseconds
        return welcome
    }

    /// Sends every connected node the keys that may watch: after a change, and at intervals, so that nodes know that they
    /// still hold.
    func sendViewers(_ snapshot: AccessSnapshot) async {
        let viewers = snapshot.viewers
        for node in await rig.connectedNodes { await send(.viewers(viewers), to: node) }
    }

    /// Tells every connected node the coordinator's key, which is about to be replaced.
    func sendKey(_ key: PublicKey) async {
        for node in await rig.connectedNodes { await send(.coordinatorKey(key.message), to: node) }
    }

    private func refuse(_ problem: RigProblem, _ peer: PeerID, _ epoch: Epoch) async {
        var refused = WireRefused()
        refused.problem = problem.wire
        await send(.refused(refused), to: peer, agentEpoch: epoch.rawValue)
    }

    private func send(_ body: ControlBody, to peer: PeerID, agentEpoch: UInt64) async {
        var message = WireCoordinatorMessage()
        message.epoch = rig.epoch.rawValue
        message.agentEpoch = agentEpoch
        message.body = body
        do {
            let bytes = try WireCoding.control.encode(message)
            let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: CoordinatorControlSendFault(body))
            {
                await socket.send($0.0, to: $0.1)
            }
            if case .refused(let refusal) = outcome {
                drop(.unsent, "\(refusal)")
                if refusal == .unknownPeer { bindings.unbind(peer) }
            }
        } catch {
            log.error("a control message cannot be encoded", metadata: ["reason": "\(error)"])
        }
    }

    private func drop(_ fault: AgentFault) {
        switch fault {
        case .wrongClaims: drop(.malformed, "\(fault)")
        case .missingEvents: drop(.unexpected, "\(fault)")
        }
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}
