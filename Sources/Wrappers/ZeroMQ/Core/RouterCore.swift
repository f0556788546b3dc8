internal import CZeroMQ

/// A router's received message and its sender.
typealias RouterDelivery = (peer: PeerID, message: ReceivedMessage)

/// Answers a request on the socket's thread.
typealias InlineResponder = @Sendable (PeerID, ReceivedMessage, _ sendTime: @Sendable () -> Int64) -> Message?

/// A ROUTER socket: one queue for each peer that accepts no more, retried at intervals.
///
/// libzmq reports a router as writable regardless of its peers, so only an attempt shows whether a peer accepts a message.
///
/// Guard for `@unchecked Sendable`: as for ``SocketCore``.
final class RouterCore: ReceivingCore<RouterDelivery>, @unchecked Sendable {
    var responder: InlineResponder?
    private var backlog: RouterBacklog

    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        backlog = RouterBacklog(options: options)
        try super.init(context: context, executor: executor, type: ZMQ_ROUTER, options: options)
        try handle.set(ZMQ_ROUTER_MANDATORY, Int32(1), named: "mandatory routing")
        try handle.set(ZMQ_ROUTER_HANDOVER, Int32(0), named: "handover")
        // With a domain, libzmq refuses peers of ZMTP 1 and 2, even if no handler is bound, and admits all others in that case. ZMTP 1
        // accepts any bytes as a routing id, and libzmq keeps 35 KiB forever of each connection whose id is in use. CURVE has a separate
        // domain.
        if case .none = options.security {
            try handle.set(ZMQ_ZAP_DOMAIN, Array("global".utf8), operation: "set the domain")
        }
        start(on: executor)
    }

    override var wantsInput: Bool { responder != nil || super.wantsInput }

    override var retryAtNanoseconds: Int64? { backlog.retryAtNanoseconds }

    /// One more than the option, since libzmq adds the peer's id as the first part.
    override var maximumPartCount: Int { 1 + min(super.maximumPartCount, .max - 1) }

    override func accept(_ message: ReceivedMessage) -> RouterDelivery? {
        guard let routingID = message.parts.first else { return nil }
        let peer = PeerID(bytes: routingID.bytes)
        var content = message
        content.message.parts.removeFirst()
        guard let responder else { return (peer, content) }
        if let reply = responder(peer, content, czmq_monotonic_nanoseconds) { answer(reply, to: peer) }
        return nil
    }

    func send(_ message: Message, to peer: PeerID) -> SendOutcome {
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        guard !backlog.holds(peer) else { return append(message, for: peer) }
        switch attempt(message, to: peer) {
        case .done: return .sent
        case .wouldBlock: return append(message, for: peer)
        case .unreachable: return counters.refuse(.unknownPeer)
        case .ended: return counters.refuse(.closed)
        }
    }

    func send(_ makeMessage: (Int64) -> Message, to peer: PeerID) -> SendOutcome {
        guard isOpen else { return counters.refuse(.closed) }
        guard !backlog.holds(peer) else { return counters.refuse(.queueFull) }
        let message = makeMessage(czmq_monotonic_nanoseconds())
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        switch attempt(message, to: peer) {
        case .done: return .sent
        case .wouldBlock: return counters.refuse(.queueFull)
        case .unreachable: return counters.refuse(.unknownPeer)
        case .ended: return counters.refuse(.closed)
        }
    }

    override func retry(atNanoseconds now: Int64) {
        var hasEnded = false
        let discarded = backlog.retry(atNanoseconds: now) { message, peer in
            let attempt = handle.send(message, to: peer)
            if attempt == .done { countSent(message) }
            hasEnded = hasEnded || attempt == .ended
            return attempt
        }
        counters.discardedForVanishedPeers += discarded
        updateWaiting()
        if hasEnded { close() }
    }

    override func willClose() {
        counters.discardedAtClose += backlog.removeAll()
        updateWaiting()
        responder = nil
        super.willClose()
    }

    private func attempt(_ message: Message, to peer: PeerID) -> SendAttempt {
        guard isOpen else { return .ended }
        let attempt = handle.send(message, to: peer)
        if attempt == .done { countSent(message) }
        if attempt == .ended { close() }
        return attempt
    }

    /// Sends an answer at once or drops it, since a late answer would contain a wrong time.
    private func answer(_ reply: Message, to peer: PeerID) {
        guard refusal(of: reply) == nil, !backlog.holds(peer), attempt(reply, to: peer) == .done else {
            counters.droppedReplies += 1
            return
        }
    }

    private func append(_ message: Message, for peer: PeerID) -> SendOutcome {
        let admission = backlog.append(message, for: peer, atNanoseconds: czmq_monotonic_nanoseconds())
        guard case .queued(let dropped) = admission else { return counters.refuse(.queueFull) }
        counters.queued += 1
        counters.droppedOldest += dropped
        updateWaiting()
        return .queued
    }

    private func updateWaiting() {
        counters.waiting = backlog.count
        counters.waitingBytes = backlog.byteCount
    }
}
