import CaptureModel
import ControlMessages
import FaultPoints
import Logging
import RigAccess
import RigCore
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
    private var dropped = DroppedMessages()
    /// Members of reports that were ignored, all together.
    private var unknownMembers: UInt64 = 0
    private let lane = SendLane<(Message, PeerID)>()

    /// A message that its sender may send.
    private struct Incoming: Sendable {
        var envelope: NodeEnvelope
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
                    let envelope = try NodeEnvelope(bytes: bytes)
                    let (node, epoch) = (envelope.node, envelope.epoch)
                    guard authority.permits(received, speakingFor: node) else {
                        drop(.foreignNode, "a message for node '\(node)', whose key the connection does not have")
                        continue
                    }
                    let isCurrent = await rig.heard(from: node, epoch: epoch)
                    if isCurrent, let sequence = envelope.heartbeatSequence, bindings.speaks(peer, for: node, epoch),
                        envelope.coordinator == rig.epoch
                    {
                        await send(.heartbeatAcknowledged(sequence: sequence), to: node)
                    }
                    enqueue(Incoming(envelope: envelope, peer: peer), byteCount: bytes.count, in: &group)
                } catch {
                    drop(.malformed, "\(error)")
                }
            }
            group.cancelAll()
        }
    }

    private func enqueue(_ incoming: Incoming, byteCount: Int, in group: inout DiscardingTaskGroup) {
        let node = incoming.envelope.node
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
    func send(_ order: NodeOrder, to node: NodeName) async {
        await send(.order(order), to: node)
    }

    private func send(_ message: CoordinatorMessage, to node: NodeName) async {
        guard let peer = bindings.peer(of: node), let epoch = bindings.epoch(of: peer) else { return }
        await send(message, to: peer, epoch)
    }

    private func carryOut(_ incoming: Incoming) async throws {
        let (envelope, peer) = (incoming.envelope, incoming.peer)
        let (node, epoch) = (envelope.node, envelope.epoch)
        if envelope.isHello { return try await greet(envelope, peer) }
        guard bindings.speaks(peer, for: node, epoch) else {
            drop(.unknownPeer, "a message of node '\(node)' before its hello")
            return await send(.order(.helloRequired), to: peer, epoch)
        }
        guard envelope.coordinator == rig.epoch else {
            return drop(.oldEpoch, "a message for coordinator epoch \(envelope.coordinator?.description ?? "0")")
        }
        guard await rig.heard(from: node, epoch: epoch) else {
            bindings.unbind(peer)
            drop(.oldEpoch, "a message of an agent that another one has replaced")
            return await send(.order(.helloRequired), to: peer, epoch)
        }
        guard let message = try await message(of: envelope) else {
            return drop(.unknown, "a message without a body this version knows")
        }
        for fault in await rig.accept(message, from: node) { drop(fault) }
    }

    /// Reads a message elsewhere, so that this actor serves the other nodes. The message is still in the lane of its node, whose later ones
    /// wait.
    private func message(of envelope: NodeEnvelope) async throws(WireError) -> NodeMessage? {
        let content = try await envelope.content()
        note(ignoredIn: content, from: envelope.node)
        return content.message
    }

    private func note(ignoredIn content: NodeContent, from node: NodeName) {
        guard let first = content.firstIgnored else { return }
        if unknownMembers == 0 {
            log.warning(
                "members of reports are ignored: install equal versions on nodes and coordinator",
                metadata: ["node": "\(node)", "first": "\(first)"])
        }
        unknownMembers &+= UInt64(content.ignoredMembers)
    }

    /// What was dropped or ignored, by `channel.cause`.
    var drops: [String: UInt64] {
        var counts = dropped.counts(of: "control")
        if unknownMembers > 0 { counts["control.unknownMembers"] = unknownMembers }
        return counts
    }

    private func greet(_ envelope: NodeEnvelope, _ peer: PeerID) async throws {
        let (node, epoch) = (envelope.node, envelope.epoch)
        let message: NodeMessage?
        do {
            message = try await self.message(of: envelope)
        } catch {
            await refuse(
                RigProblem(.protocolViolation, "the hello of node '\(node)' is not valid: \(error)"), peer, epoch)
            throw error
        }
        guard case .hello(let hello) = message else { return }
        let hasRestarted: Bool
        switch await rig.admit(hello, from: node, epoch: epoch) {
        case .success(let restarted): hasRestarted = restarted
        case .failure(let problem): return await refuse(problem, peer, epoch)
        }
        let connected = bindings.isFull ? await rig.connectedNodes : nil
        bindings.bind(peer, to: node, epoch, keeping: connected)
        let welcome = Welcome(
            rigClock: rig.clockID, clockPort: clockPort, collectPort: collectPort,
            heartbeatInterval: rig.settings.heartbeatInterval, heartbeatTimeout: rig.settings.heartbeatTimeout)
        await send(.welcome(welcome), to: peer, epoch)
        if let snapshot = authority.snapshot { await send(.viewers(snapshot.viewers), to: peer, epoch) }
        if let key { await send(.coordinatorKey(key.publicKey), to: peer, epoch) }
        for fault in await rig.reconcile(hello, from: node, epochChanged: hasRestarted) { drop(fault) }
    }

    /// Sends every connected node the keys that may watch: after a change, and at intervals, so that nodes know that they
    /// still hold.
    func sendViewers(_ snapshot: AccessSnapshot) async {
        let viewers = snapshot.viewers
        for node in await rig.connectedNodes { await send(.viewers(viewers), to: node) }
    }

    /// Tells every connected node the coordinator's key, which is about to be replaced.
    func sendKey(_ key: PublicKey) async {
        for node in await rig.connectedNodes { await send(.coordinatorKey(key), to: node) }
    }

    private func refuse(_ problem: RigProblem, _ peer: PeerID, _ epoch: Epoch) async {
        await send(.refused(problem), to: peer, epoch)
    }

    private func send(_ message: CoordinatorMessage, to peer: PeerID, _ agent: Epoch) async {
        do {
            let bytes = try CoordinatorEnvelope.bytes(of: message, from: rig.epoch, to: agent)
            let fault = CoordinatorControlSendFault(message)
            let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: fault) {
                await socket.send($0.0, to: $0.1)
            }
            guard case .refused(let refusal) = outcome else { return }
            // An agent that has left says hello when it is back, and is then told what matters.
            if refusal == .unknownPeer { bindings.unbind(peer) } else { drop(.unsent, "\(refusal)") }
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

extension AccessSnapshot {
    /// The keys that a frames channel admits.
    fileprivate var viewers: AdmittedViewers {
        AdmittedViewers(revision: revision, holders: holders(admittedTo: .frames))
    }
}
