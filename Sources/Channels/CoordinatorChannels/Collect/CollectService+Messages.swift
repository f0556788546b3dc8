import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import ZeroMQ

/// What agents and the coordinator tell each other on the collect channel.
extension CollectService {
    func handle(_ message: Message, from peer: PeerID) async throws {
        guard (1...2).contains(message.parts.count) else { throw DroppedMessages.Cause.malformed }
        let wire = try WireCoding.collect.decode(WireCollectFromAgent.self, from: message.parts[0].bytes)
        let node = try NodeName(wire.node)
        guard let epoch = Epoch(rawValue: wire.epoch) else { throw DroppedMessages.Cause.malformed }
        if case .hello = wire.body { return await bind(peer, node, epoch) }
        guard bindings.speaks(peer, for: node, epoch) else {
            drop(.unknownPeer, "a message of node '\(node)' before its hello")
            return await send(.helloRequired(WireCollectHelloRequired()), to: peer)
        }
        switch wire.body {
        case .chunk(let chunk):
            guard message.parts.count == 2 else { throw DroppedMessages.Cause.malformed }
            try await take(chunk, message.parts[1], from: node)
        case .chunkRefused(let refused): try await giveUp(refused, from: node)
        case .released(let released):
            let key = try FileKey(wire: released.file)
            if key.capture.device.node == node { releases.answered(key, at: clock.now()) }
        case .keepAlive: await send(.keepAlive(WireCollectKeepAlive()), to: peer)
        case .hello: break
        case nil: drop(.unknown, "a message without a body this version knows")
        }
    }

    private func bind(_ peer: PeerID, _ node: NodeName, _ epoch: Epoch) async {
        guard await rig.heard(from: node, epoch: epoch) else {
            return drop(.unknownPeer, "node '\(node)' has not said hello on the control channel")
        }
        let connected = bindings.isFull ? await rig.connectedNodes : nil
        bindings.bind(peer, to: node, epoch, keeping: connected)
        queues[node]?.reconnected()
        for release in releases.of(node) { await sendRelease(release.key, release.digest, to: peer) }
        await ask(node)
    }

    /// Tells a node that a file, or without a digest its failure, is durable: at once or when it is back, until it answers.
    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        let node = key.capture.device.node
        releases.add(key, digest, at: clock.now())
        if let peer = bindings.peer(of: node) { await sendRelease(key, digest, to: peer) }
        queues[node]?.released(key)
        beginMore(of: node)
    }

    /// Tells nodes again what they may let go of, and have not answered.
    func repeatReleases() async {
        for (key, digest) in releases.takeDue(of: { bindings.peer(of: $0) != nil }, at: clock.now()) {
            guard let peer = bindings.peer(of: key.capture.device.node) else { continue }
            await sendRelease(key, digest, to: peer)
        }
    }

    private func sendRelease(_ key: FileKey, _ digest: ContentDigest?, to peer: PeerID) async {
        var durable = WireDurable()
        durable.file = key.wire
        if let digest { durable.sha256 = digest.wire } else { durable.failed = true }
        await send(.durable(durable), to: peer)
    }

    func send(_ body: WireCollectFromCoordinator.OneOf_Body, to peer: PeerID) async {
        var message = WireCollectFromCoordinator()
        message.epoch = rig.epoch.rawValue
        message.agentEpoch = bindings.epoch(of: peer)?.rawValue ?? 0
        message.body = body
        guard let bytes = try? WireCoding.collect.encode(message) else { return }
        let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: CollectSendFault(body)) {
            await socket.send($0.0, to: $0.1)
        }
        if case .refused(let refusal) = outcome {
            drop(.unsent, "\(refusal)")
            if refusal == .unknownPeer { bindings.unbind(peer) }
        }
    }

    func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("collect messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}
