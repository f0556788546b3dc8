/// A subscriber (SUB): receives the messages that begin with one of its prefixes.
///
/// With `SocketOptions.conflate` only the newest message waits, across all prefixes: use one socket for each stream.
/// Dropping the last reference closes the socket.
public actor SubscriberSocket {
    private let core: SubscriberCore
    private let executor: SocketExecutor

    /// Makes a socket that is neither bound nor connected.
    ///
    /// - Throws: When the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try SubscriberCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Connects, and connects again whenever the connection ends. Returns before the connection is made.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections made by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Makes every connection of `connect(to:)` anew, with the same topics: for one that has fallen silent, which TCP may never
    /// notice. Returns before they are made. What libzmq holds of the old ones is lost.
    public func reconnect() throws(ZeroMQError) { try core.reconnect() }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned; connections made through it stay.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Longest topic, in bytes: libzmq 4.3.4 takes one of 246 to 255 bytes for a subscription to everything.
    public static let maximumTopicLength = 64

    /// Receives messages that begin with `prefix` from here on; an empty one means all.
    ///
    /// - Throws: When the prefix is longer than `maximumTopicLength`.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) { try core.subscribe(prefix) }

    /// Receives messages that begin with `prefix` from here on; an empty one means all.
    ///
    /// - Throws: When the prefix is longer than `maximumTopicLength`.
    public func subscribe(_ prefix: String) throws(ZeroMQError) { try subscribe(Array(prefix.utf8)) }

    /// Takes back one `subscribe` of the same prefix.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) { try core.unsubscribe(prefix) }

    /// Takes back one `subscribe` of the same prefix.
    public func unsubscribe(_ prefix: String) throws(ZeroMQError) { try unsubscribe(Array(prefix.utf8)) }

    /// The next message; waits for it.
    ///
    /// Messages stay in libzmq until asked for, except `SocketOptions.receivePrefetch` of them, so a consumer that is slow
    /// slows the peers down. Several callers get messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and when the calling task is cancelled; then no message is lost.
    public func receive() async -> ReceivedMessage? { await core.next(isolation: self) }

    /// What the socket has done so far.
    public var counters: SocketCounters { core.counters }

    /// Whether the connection of a socket that connects to one endpoint is usable.
    public var isConnected: Bool { core.isConnected }

    /// Connections made, lost and failed. For one consumer; the newest 256 wait for it. The counters miss none.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> { core.connectionEvents }

    /// Closes the socket: waiting callers get nil, waiting messages are discarded and counted, streams end.
    ///
    /// What libzmq has taken already is sent for as long as `SocketOptions.linger` says.
    public func close() { core.close() }

    deinit { core.closeLater() }
}
