internal import CZeroMQ

/// An XPUB socket: sends messages and receives its peers' subscriptions. These are always read, since libzmq keeps unread ones forever.
///
/// Guard for `@unchecked Sendable`: as for ``SocketCore``.
final class PublisherCore: SocketCore, @unchecked Sendable {
    let subscriptions: AsyncStream<SubscriptionChange>
    private let changes: AsyncStream<SubscriptionChange>.Continuation
    private(set) var topics = TopicSet()
    private var subscribers = SubscriberTopics()

    private static let messagesPerRound = 256
    private static let changeBufferLimit = 4_096
    /// The maximum size in bytes of a frame from a subscriber. A topic of maximum length and the handshake without security fit. libzmq
    /// ends the connection of a larger one before it stores any of it. With CURVE, libzmq's limit is higher, and this object ends the
    /// connection.
    private static let maximumInputSize = 128

    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        (subscriptions, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.changeBufferLimit))
        try super.init(context: context, executor: executor, type: ZMQ_XPUB, options: options)
        let limit = options.security.transportLimit(forMessagesOf: Self.maximumInputSize)
        try handle.set(ZMQ_MAXMSGSIZE, Int64(limit), named: "maximumMessageSize")
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

    /// Processes one part: 1 or 0 for subscribing or unsubscribing, then the topic. libzmq reports the first subscriber of a topic and the
    /// end of the last one.
    private func accept(_ parts: [MessagePart], from descriptor: Int32?) {
        let bytes = parts.first?.bytes ?? []
        guard let mark = bytes.first, mark <= 1 else {
            counters.unexpectedMessages += 1
            return
        }
        guard bytes.count <= Self.maximumInputSize else { return end(descriptor) }
        let topic = Array(bytes.dropFirst())
        if mark == 0 { leave(topic) } else { come(topic, from: descriptor) }
    }

    /// Ends a connection that sent more than a subscription has. libzmq removes its subscriptions.
    private func end(_ descriptor: Int32?) {
        counters.unexpectedMessages += 1
        handleMonitor()
        guard let descriptor, let port = subscribers.port(of: descriptor) else { return }
        _ = czmq_end_connection(descriptor, port)
    }

    private func leave(_ topic: [UInt8]) {
        guard let first = topics.remove(topic) else { return }
        subscribers.discount(topicOf: first)
        changes.yield(SubscriptionChange(topic: topic, isSubscribed: false))
    }

    private func come(_ topic: [UInt8], from descriptor: Int32?) {
        // The descriptor may be that of a connection whose event has not been read.
        handleMonitor()
        let (subscriber, port) = subscribers.count(topicBy: descriptor)
        // Its topics stay in the list until libzmq reports their end, since another peer may have requested one of them.
        if let descriptor, let port, czmq_end_connection(descriptor, port) { counters.endedSubscribers += 1 }
        if topics.insert(topic, by: subscriber) {
            changes.yield(SubscriptionChange(topic: topic, isSubscribed: true))
        } else {
            counters.rejectedTopics += 1
        }
    }
}

/// A SUB socket: sends prefixes and receives messages.
///
/// Guard for `@unchecked Sendable`: as for ``SocketCore``.
final class SubscriberCore: ReceivingCore<ReceivedMessage>, @unchecked Sendable {
    init(context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions) throws(ZeroMQError) {
        try super.init(context: context, executor: executor, type: ZMQ_SUB, options: options)
        start(on: executor)
    }

    override func accept(_ message: ReceivedMessage) -> ReceivedMessage? { message }

    func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try check(prefix, "subscribe to")
        try handle.set(ZMQ_SUBSCRIBE, prefix, operation: "subscribe")
    }

    func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try check(prefix, "unsubscribe from")
        try handle.set(ZMQ_UNSUBSCRIBE, prefix, operation: "unsubscribe")
    }

    private func check(_ prefix: [UInt8], _ operation: String) throws(ZeroMQError) {
        guard isOpen else { throw ZeroMQError(code: "ENOTSOCK", operation: operation) }
        guard prefix.count <= SubscriberSocket.maximumTopicLength else {
            throw ZeroMQError(
                code: "ENAMETOOLONG", operation: operation, endpoint: "a topic of \(prefix.count) bytes, of at most 64")
        }
    }
}

/// The number of topics that each TCP connection of a publisher has requested, so that a connection with too many is ended. libzmq keeps
/// all topics, with 50 bytes of memory for each byte, and traverses those of every subscriber whenever one disconnects.
///
/// ```
///               topic, up to `limit`
///                  ┌─────┐
///   accepted ──▶ welcome ┘ ──────────────────▶ ended: to be shut down, once
///                            one more topic
/// ```
struct SubscriberTopics {
    /// The maximum number of topics of one connection.
    static let limit = 256

    /// A connection. After it has ended, the system reuses its descriptor; its number is never reused.
    struct Subscriber: Hashable {
        var descriptor: Int32
        var number: UInt64
    }

    private struct Connection {
        var number: UInt64
        var port: UInt16
        var topicCount = 0
    }

    private var connections: [Int32: Connection] = [:]
    private var lastNumber: UInt64 = 0

    mutating func accepted(descriptor: Int32, port: UInt16) {
        lastNumber += 1
        connections[descriptor] = Connection(number: lastNumber, port: port)
    }

    /// The port that a connection was accepted on; nil for other transports.
    func port(of descriptor: Int32) -> UInt16? { connections[descriptor]?.port }

    /// Counts a topic that a connection has requested.
    /// - Returns: The connection, nil for other transports; and its port if this topic is the first beyond the limit.
    mutating func count(topicBy descriptor: Int32?) -> (subscriber: Subscriber?, endAtPort: UInt16?) {
        guard let descriptor, var connection = connections[descriptor] else { return (nil, nil) }
        connection.topicCount += 1
        connections[descriptor] = connection
        let subscriber = Subscriber(descriptor: descriptor, number: connection.number)
        return (subscriber, connection.topicCount == Self.limit + 1 ? connection.port : nil)
    }

    /// Subtracts a topic of a connection after its last subscriber has unsubscribed.
    mutating func discount(topicOf subscriber: Subscriber?) {
        guard let subscriber, connections[subscriber.descriptor]?.number == subscriber.number else { return }
        connections[subscriber.descriptor]?.topicCount -= 1
    }
}

/// The prefixes with subscribers, bounded in length and number since peers choose them.
struct TopicSet {
    /// The maximum length of a topic in bytes. libzmq 4.3.4 treats topics of 246 to 255 bytes as a subscription to everything.
    static let maximumLength = 64
    static let maximumCount = 10_000

    /// The prefixes, each with its first subscriber, if known.
    private var prefixes: [[UInt8]: SubscriberTopics.Subscriber?] = [:]

    /// All prefixes, unordered.
    var all: [[UInt8]] { Array(prefixes.keys) }

    /// Adds a prefix; false if a limit is exceeded, or it exists already.
    mutating func insert(_ prefix: [UInt8], by subscriber: SubscriberTopics.Subscriber?) -> Bool {
        guard prefix.count <= Self.maximumLength, prefixes.count < Self.maximumCount,
            !prefixes.keys.contains(prefix)
        else { return false }
        prefixes.updateValue(subscriber, forKey: prefix)
        return true
    }

    /// - Returns: Its first subscriber; nil if the prefix does not exist.
    mutating func remove(_ prefix: [UInt8]) -> SubscriberTopics.Subscriber?? { prefixes.removeValue(forKey: prefix) }

    /// Returns whether a message that begins with `topic` has subscribers.
    func matches(_ topic: [UInt8]) -> Bool {
        guard !prefixes.isEmpty else { return false }
        return (0...min(topic.count, Self.maximumLength)).contains { prefixes.keys.contains(Array(topic.prefix($0))) }
    }
}
