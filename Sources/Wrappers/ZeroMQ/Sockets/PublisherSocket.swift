/// A publisher (XPUB): sends each message to whoever is subscribed to a prefix of it, and knows which topics are wanted.
///
/// A subscriber that does not keep up misses messages once `sendHighWaterMark` of them wait for it; others are not
/// delayed. `SocketOptions.maximumMessageSize` bounds what is published. A TCP connection that sends more than 128 bytes at once,
/// or asks for more than 256 topics, is ended.
/// Dropping the last reference closes the socket.
public actor PublisherSocket {
    private let core: PublisherCore
    private let executor: SocketExecutor

    /// Makes a socket that is neither bound nor connected.
    ///
    /// - Throws: When the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try PublisherCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Connects, and connects again whenever the connection ends. Returns before the connection is made.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections made by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned; connections made through it end.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Subscriptions as they change. For one consumer; the newest 4096 changes wait for it. `hasSubscribers` is always true
    /// to the present.
    public nonisolated var subscriptions: AsyncStream<SubscriptionChange> { core.subscriptions }

    /// Sends a message of one part that begins with its topic. A subscriber whose queue is full misses it.
    public func publish(_ message: Message) -> SendOutcome { core.publish(message) }

    /// Whether anyone is subscribed to a prefix of this topic.
    public func hasSubscribers(_ topic: [UInt8]) -> Bool { core.topics.matches(topic) }

    /// Whether anyone is subscribed to a prefix of this topic.
    public func hasSubscribers(_ topic: String) -> Bool { hasSubscribers(Array(topic.utf8)) }

    /// The prefixes somebody is subscribed to, in no order.
    public var subscribedTopics: [[UInt8]] { core.topics.all }

    /// What the socket has done so far.
    public var counters: SocketCounters { core.counters }

    /// Connections made, lost and failed. For one consumer; the newest 256 wait for it. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket: waiting callers get nil, waiting messages are discarded and counted, streams end.
    ///
    /// What libzmq has taken already is sent for as long as `SocketOptions.linger` says.
    public func close() { core.close() }

    deinit { core.closeLater() }
}
