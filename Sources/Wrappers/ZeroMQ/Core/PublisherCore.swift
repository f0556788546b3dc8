internal import CZeroMQ

/// An XPUB: messages out, and the subscriptions of its peers in, which are always read: libzmq keeps unread ones for ever.
final class PublisherCore: SocketCore, @unchecked Sendable {
    let subscriptions: AsyncStream<SubscriptionChange>
    private let changes: AsyncStream<SubscriptionChange>.Continuation
    private(set) var topics = TopicSet()
    private var subscribers = SubscriberTopics()

    private static let messagesPerRound = 256
    private static let changeBufferLimit = 4_096
    /// Largest frame a subscriber may send, in bytes: a topic of the largest length and the handshake without security fit.
    /// libzmq ends the connection of a larger one before it has kept anything of it.
    private static let maximumInputSize: Int64 = 128

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
            let (attempt, descriptor) = handle.receiveSubscription()
            switch attempt {
            case .message(let received): accept(received.parts, from: descriptor)
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

    override func accepted(descriptor: Int32, port: UInt16) {
        subscribers.accepted(descriptor: descriptor, port: port)
    }

    /// One part: 1 or 0 for coming or going, then the topic. libzmq tells of the first who comes and of the last who goes.
    private func accept(_ parts: [MessagePart], from descriptor: Int32?) {
        let bytes = parts.first?.bytes ?? []
        guard let mark = bytes.first, mark <= 1 else {
            counters.unexpectedMessages += 1
            return
        }
        let topic = Array(bytes.dropFirst())
        if mark == 0 { leave(topic) } else { come(topic, from: descriptor) }
    }

    private func leave(_ topic: [UInt8]) {
        guard let first = topics.remove(topic) else { return }
        subscribers.discount(topicOf: first)
        changes.yield(SubscriptionChange(topic: topic, isSubscribed: false))
    }

    private func come(_ topic: [UInt8], from descriptor: Int32?) {
        // A descriptor may be that of a connection which has not been heard of.
        handleMonitor()
        let (subscriber, port) = subscribers.count(topicBy: descriptor)
        // Its topics stay in the list until libzmq says that they are gone: somebody else may have asked for one of them.
        if let descriptor, let port, czmq_end_connection(descriptor, port) { counters.endedSubscribers += 1 }
        if topics.insert(topic, by: subscriber) {
            changes.yield(SubscriptionChange(topic: topic, isSubscribed: true))
        } else {
            counters.rejectedTopics += 1
        }
    }
}
