/// A DEALER: the end of a connection that asks, usually towards one router.
///
/// Calls run on the executor's thread and never wait for a peer. Messages of one socket keep their order. With several
/// peers they are dealt out in turn. Dropping the last reference closes the socket.
public actor DealerSocket {
    private let core: DealerCore
    private let executor: SocketExecutor

    /// Makes a socket that is neither bound nor connected.
    ///
    /// - Throws: When the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try DealerCore(context: context, executor: executor, options: options)
        self.executor = executor
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Connects, and connects again whenever the connection ends. Returns before the connection is made.
    public func connect(to endpoint: String) throws(ZeroMQError) { try core.connect(to: endpoint) }

    /// Ends the connections made by `connect(to:)` with the same text.
    public func disconnect(from endpoint: String) throws(ZeroMQError) { try core.disconnect(from: endpoint) }

    /// Makes every connection of `connect(to:)` anew: for one that has fallen silent, which TCP may never notice. Returns before
    /// they are made. What libzmq holds of the old ones, in either direction, is lost, and so may be what is sent before
    /// `connectionEvents` tells of a new one; what waits in this library's queue is not.
    public func reconnect() throws(ZeroMQError) { try core.reconnect() }

    /// Listens on an endpoint such as `tcp://127.0.0.1:*`.
    ///
    /// - Returns: The endpoint with the port that the system chose, for peers to connect to.
    @discardableResult
    public func bind(to endpoint: String) throws(ZeroMQError) -> String { try core.bind(to: endpoint) }

    /// Stops listening on an endpoint that `bind(to:)` returned; connections made through it stay.
    public func unbind(from endpoint: String) throws(ZeroMQError) { try core.unbind(from: endpoint) }

    /// Sends a message, or queues it while no peer takes one.
    public func send(_ message: Message) -> SendOutcome { core.send(message) }

    /// Makes and sends a message at once, or refuses: it is never queued, so the time in it stays true.
    ///
    /// - Parameter makeMessage: Called on the socket's thread right before `zmq_msg_send`, with `CLOCK_MONOTONIC` in
    ///   nanoseconds. The message may still be refused afterwards, when no peer takes one.
    public func send(_ makeMessage: @Sendable (_ sendTimeNanoseconds: Int64) -> Message) -> SendOutcome {
        core.send(makeMessage)
    }

    /// The next message; waits for it.
    ///
    /// Messages stay in libzmq until asked for, except `SocketOptions.receivePrefetch` of them, so a consumer that is slow
    /// slows the peers down. Several callers get messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and when the calling task is cancelled; then no message is lost.
    public func receive() async -> ReceivedMessage? { await core.next(isolation: self) }

    /// This end's address of the TCP connection that was made last, in numbers and without brackets; nil before there was one.
    public var localAddress: String? { core.localAddress }

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
