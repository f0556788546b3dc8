/// A subscriber (SUB): receives the messages that begin with one of its prefixes.
///
/// With `SocketOptions.conflate`, only the newest message of all prefixes waits, so use a separate socket for each stream. Dropping the
/// last reference closes the socket.
public actor SubscriberSocket {
    private let core: SubscriberCore
    private let executor: SocketExecutor

    /// Creates a socket that is neither bound nor connected.
    ///
    /// - Throws: If the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try SubscriberCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Connects, and reconnects whenever the connection ends. Returns before the connection is established.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections created by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Replaces every connection of `connect(to:)` and keeps the topics. For a silent connection, whose end TCP may never detect. Returns
    /// before the new connections are established. Messages of the old connections in libzmq are lost.
    public func reconnect() throws(ZeroMQError) { try core.reconnect() }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint, with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned. Connections accepted through it stay.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// The maximum length of a topic in bytes. libzmq 4.3.4 treats topics of 246 to 255 bytes as a subscription to everything.
    public static let maximumTopicLength = 64

    /// Subscribes to messages that begin with `prefix`. An empty prefix matches every message.
    ///
    /// - Throws: If the prefix is longer than `maximumTopicLength`.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) { try core.subscribe(prefix) }

    /// Subscribes to messages that begin with `prefix`. An empty prefix matches every message.
    ///
    /// - Throws: If the prefix is longer than `maximumTopicLength`.
    public func subscribe(_ prefix: String) throws(ZeroMQError) { try subscribe(Array(prefix.utf8)) }

    /// Cancels one `subscribe` of the same prefix.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) { try core.unsubscribe(prefix) }

    /// Cancels one `subscribe` of the same prefix.
    public func unsubscribe(_ prefix: String) throws(ZeroMQError) { try unsubscribe(Array(prefix.utf8)) }

    /// Waits for and returns the next message.
    ///
    /// Messages stay in libzmq until requested, except `SocketOptions.receivePrefetch` of them, so a slow consumer slows the peers down.
    /// Concurrent callers receive messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and if the calling task is cancelled, in which case no message is lost.
    public func receive() async -> ReceivedMessage? { await core.next(isolation: self) }

    /// The socket's counters.
    public var counters: SocketCounters { core.counters }

    /// Whether the connection of a socket that connects to one endpoint is usable.
    public var isConnected: Bool { core.isConnected }

    /// Connections established, lost and failed. For one consumer, with a buffer of the newest 256 events. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket: waiting callers receive nil, and streams end.
    public func close() { core.close() }

    deinit { core.closeLater() }
}
