/// A ROUTER socket: it has many peers, each with a separate bounded queue, so that a peer that stops reading delays no other.
///
/// A peer is known from its first message on. Messages to one peer keep their order. libzmq ignores a peer that chooses a routing id
/// already in use. Peers of ZMTP 1 and 2 are refused. Dropping the last reference closes the socket.
public actor RouterSocket {
    private let core: RouterCore
    private let executor: SocketExecutor

    /// Creates a socket that is neither bound nor connected.
    ///
    /// - Throws: If the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try RouterCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Sets the security of endpoints that are bound or connected from now on. Those that exist keep theirs, so a socket can listen with two
    /// keys.
    public func secure(with security: SocketSecurity) throws(ZeroMQError) { try core.secure(with: security) }

    /// Connects, and reconnects whenever the connection ends. Returns before the connection is established.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections created by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint, with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned. Connections accepted through it end.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Ends every connection accepted through an endpoint that `bind(to:)` returned, and listens on it again. Peers connect again by
    /// themselves, if the authenticator still admits them: it decides only about new connections.
    ///
    /// - Parameter endpoint: Of TCP, with the port that the system chose. libzmq reports no end of listening on `inproc`.
    /// - Throws: If another program has taken the port; the socket then does not listen.
    public func rebind(_ endpoint: String) async throws(ZeroMQError) {
        try await core.rebind(endpoint, isolation: self)
    }

    /// Sends a message to one peer, or queues it while the peer accepts none.
    public func send(_ message: Message, to peer: PeerID) -> SendOutcome { core.send(message, to: peer) }

    /// Creates and sends a message at once, or refuses it. The message is never queued, so that a time in it stays correct.
    ///
    /// - Parameter makeMessage: Called on the socket's thread immediately before `zmq_msg_send`, with `CLOCK_MONOTONIC` in nanoseconds. The
    ///   message may still be refused afterwards if the peer accepts none.
    public func send(
        _ makeMessage: @Sendable (_ sendTimeNanoseconds: Int64) -> Message, to peer: PeerID
    ) -> SendOutcome {
        core.send(makeMessage, to: peer)
    }

    /// Answers every message on the socket's thread as soon as it is received. After this call, `receive()` returns no messages.
    ///
    /// - Parameter handler: Receives the peer, its message with the time of receipt, and a clock for the time of sending: `CLOCK_MONOTONIC`
    ///   in nanoseconds. Its result is sent at once, or dropped and counted. It must be fast, since every socket of the executor waits for
    ///   it.
    public func respondInline(
        _ handler:
            @escaping @Sendable (PeerID, ReceivedMessage, _ sendTimeNanoseconds: @Sendable () -> Int64) -> Message?
    ) {
        guard core.isOpen else { return }
        core.responder = handler
    }

    /// Waits for and returns the next message.
    ///
    /// Messages stay in libzmq until requested, except `SocketOptions.receivePrefetch` of them, so a slow consumer slows the peers down.
    /// Concurrent callers receive messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and if the calling task is cancelled, in which case no message is lost.
    public func receive() async -> (peer: PeerID, message: ReceivedMessage)? { await core.next(isolation: self) }

    /// The socket's counters.
    public var counters: SocketCounters { core.counters }

    /// Connections established, lost and failed. For one consumer, with a buffer of the newest 256 events. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket: waiting callers receive nil, waiting messages are discarded and counted, streams end.
    ///
    /// libzmq continues to send messages that it has accepted, for `SocketOptions.linger`.
    public func close() { core.close() }

    deinit { core.closeLater() }
}

/// A DEALER socket: the requesting end of a connection, usually to one router.
///
/// Calls run on the executor's thread and never wait for a peer. Messages of one socket keep their order. With several peers they are
/// distributed in turn. Dropping the last reference closes the socket.
public actor DealerSocket {
    private let core: DealerCore
    private let executor: SocketExecutor

    /// Creates a socket that is neither bound nor connected.
    ///
    /// - Throws: If the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try DealerCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Sets the security of endpoints that are bound or connected from now on. Those that exist keep theirs, so a socket can listen with two
    /// keys.
    public func secure(with security: SocketSecurity) throws(ZeroMQError) { try core.secure(with: security) }

    /// Connects, and reconnects whenever the connection ends. Returns before the connection is established.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections created by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Replaces every connection of `connect(to:)`. For a silent connection, whose end TCP may never detect. Returns before the new
    /// connections are established. Messages of the old connections in libzmq, in both directions, are lost. Messages sent before
    /// `connectionEvents` reports a new connection may be lost too. Messages in this library's queue are kept.
    public func reconnect() throws(ZeroMQError) { try core.reconnect() }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint, with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned. Connections accepted through it stay.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Sends a message, or queues it while no peer accepts one.
    public func send(_ message: Message) -> SendOutcome { core.send(message) }

    /// Creates and sends a message at once, or refuses it. The message is never queued, so that a time in it stays correct.
    ///
    /// - Parameter makeMessage: Called on the socket's thread immediately before `zmq_msg_send`, with `CLOCK_MONOTONIC` in nanoseconds. The
    ///   message may still be refused afterwards if no peer accepts one.
    public func send(_ makeMessage: @Sendable (_ sendTimeNanoseconds: Int64) -> Message) -> SendOutcome {
        core.send(makeMessage)
    }

    /// Waits for and returns the next message.
    ///
    /// Messages stay in libzmq until requested, except `SocketOptions.receivePrefetch` of them, so a slow consumer slows the peers down.
    /// Concurrent callers receive messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and if the calling task is cancelled, in which case no message is lost.
    public func receive() async -> ReceivedMessage? { await core.next(isolation: self) }

    /// This end's address of the latest TCP connection, numeric and without brackets; nil before the first.
    public var localAddress: String? { core.localAddress }

    /// The socket's counters.
    public var counters: SocketCounters { core.counters }

    /// Connections established, lost and failed. For one consumer, with a buffer of the newest 256 events. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket: waiting callers receive nil, waiting messages are discarded and counted, streams end.
    ///
    /// libzmq continues to send messages that it has accepted, for `SocketOptions.linger`.
    public func close() { core.close() }

    deinit { core.closeLater() }
}

/// A publisher (XPUB): sends each message to the subscribers of its prefixes, and knows which topics are requested.
///
/// A slow subscriber misses messages once `sendHighWaterMark` of them wait for it. It does not delay others.
/// `SocketOptions.maximumMessageSize` limits published messages. A TCP connection that sends more than 128 bytes at once, or requests more
/// than 256 topics, is ended. Dropping the last reference closes the socket.
public actor PublisherSocket {
    private let core: PublisherCore
    private let executor: SocketExecutor

    /// Creates a socket that is neither bound nor connected.
    ///
    /// - Throws: If the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try PublisherCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Sets the security of endpoints that are bound or connected from now on. Those that exist keep theirs, so a socket can listen with two
    /// keys.
    public func secure(with security: SocketSecurity) throws(ZeroMQError) { try core.secure(with: security) }

    /// Connects, and reconnects whenever the connection ends. Returns before the connection is established.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections created by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint, with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned. Connections accepted through it end.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Ends every connection accepted through an endpoint that `bind(to:)` returned, and listens on it again. Peers connect again by
    /// themselves, if the authenticator still admits them: it decides only about new connections.
    ///
    /// - Parameter endpoint: Of TCP, with the port that the system chose. libzmq reports no end of listening on `inproc`.
    /// - Throws: If another program has taken the port; the socket then does not listen.
    public func rebind(_ endpoint: String) async throws(ZeroMQError) {
        try await core.rebind(endpoint, isolation: self)
    }

    /// Changes of subscriptions. For one consumer, with a buffer of the newest 4096 changes. `hasSubscribers` is always current.
    public nonisolated var subscriptions: AsyncStream<SubscriptionChange> { core.subscriptions }

    /// Sends a message of one part that begins with its topic. A subscriber whose queue is full misses it.
    public func publish(_ message: Message) -> SendOutcome { core.publish(message) }

    /// Returns whether there is a subscription to a prefix of this topic.
    public func hasSubscribers(_ topic: [UInt8]) -> Bool { core.topics.matches(topic) }

    /// Returns whether there is a subscription to a prefix of this topic.
    public func hasSubscribers(_ topic: String) -> Bool { hasSubscribers(Array(topic.utf8)) }

    /// The prefixes with at least one subscriber, unordered.
    public var subscribedTopics: [[UInt8]] { core.topics.all }

    /// The socket's counters.
    public var counters: SocketCounters { core.counters }

    /// Connections established, lost and failed. For one consumer, with a buffer of the newest 256 events. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket and ends its streams.
    ///
    /// libzmq continues to send messages that it has accepted, for `SocketOptions.linger`.
    public func close() { core.close() }

    deinit { core.closeLater() }
}
