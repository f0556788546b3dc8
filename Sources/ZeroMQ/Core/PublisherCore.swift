internal import CZeroMQ

/// An XPUB: messages out, and the subscriptions of its peers in, which are always read: libzmq keeps unread ones for ever.
final class PublisherCore: SocketCore, @unchecked Sendable {
    let subscriptions: AsyncStream<SubscriptionChange>
    private let changes: AsyncStream<SubscriptionChange>.Continuation
    private(set) var topics = TopicSet()

    private static let messagesPerRound = 256
    private static let changeBufferLimit = 4_096
    /// Largest frame a subscriber may send: a topic of 255 bytes and the handshake of any mechanism fit.
    private static let maximumInputSize: Int64 = 1_024

    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        (subscriptions, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.changeBufferLimit))
        try super.init(context: context, executor: executor, type: ZMQ_XPUB, options: options)
        try handle.set(ZMQ_MAXMSGSIZE, Self.maximumInputSize, named: "maximumMessageSize")
        try handle.set(ZMQ_XPUB_NODROP, Int32(0), named: "dropping for slow subscribers")
        start(on: executor)
    }

    override var wantsInput: Bool { true }

    override func handleInput() {
        for _ in 0..<Self.messagesPerRound {
            switch handle.receive(maximumPartCount: 1) {
            case .message(let received): accept(received.parts)
            case .tooManyParts: counters.unexpectedMessages += 1
            case .nothing: return
            case .ended: return close()
            }
        }
    }

    func publish(_ message: Message) -> SendOutcome {
        guard message.parts.count == 1 else { return counters.refuse(.notSinglePart) }
        if let refusal = refusal(of: message) { return counters.refuse(refusal) }
        switch handle.send(message) {
        case .done:
            countSent(message)
            return .sent
        case .wouldBlock, .unreachable: return counters.refuse(.queueFull)
        case .ended:
            close()
            return counters.refuse(.closed)
        }
    }

    override func willClose() {
        changes.finish()
        topics = TopicSet()
    }

    /// One part: 1 or 0 for coming or going, then the topic.
    private func accept(_ parts: [MessagePart]) {
        let bytes = parts.first?.bytes ?? []
        guard let mark = bytes.first, mark <= 1 else {
            counters.unexpectedMessages += 1
            return
        }
        let topic = Array(bytes.dropFirst())
        if mark == 0 {
            if topics.remove(topic) { changes.yield(SubscriptionChange(topic: topic, isSubscribed: false)) }
        } else if topics.insert(topic) {
            changes.yield(SubscriptionChange(topic: topic, isSubscribed: true))
        } else {
            counters.rejectedTopics += 1
        }
    }
}
