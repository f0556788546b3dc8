/// A ROUTER: the end with many peers, each with its own bounded queue, so that a peer that stops reading delays nobody.
///
/// A peer is known from its first message on. Messages to one peer keep their order. A peer that has chosen a routing id
/// which another one has is ignored by libzmq. Peers of ZMTP 1 and 2 are refused. Dropping the last reference closes the socket.
public actor RouterSocket {
    private let core: RouterCore
    private let executor: SocketExecutor

    /// Makes a socket that is neither bound nor connected.
    ///
    /// - Throws: When the context or executor has ended, or an option is out of range.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        core = try RouterCore(context: context, executor: executor, options: options)
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

    /// Sends a message to one peer, or queues it while the peer takes none.
    public func send(_ message: Message, to peer: PeerID) -> SendOutcome { core.send(message, to: peer) }

    /// Makes and sends a message at once, or refuses: it is never queued, so the time in it stays true.
    ///
    /// - Parameter makeMessage: Called on the socket's thread right before `zmq_msg_send`, with `CLOCK_MONOTONIC` in
    ///   nanoseconds. The message may still be refused afterwards, when the peer takes none.
    public func send(
        _ makeMessage: @Sendable (_ sendTimeNanoseconds: Int64) -> Message, to peer: PeerID
    ) -> SendOutcome {
        core.send(makeMessage, to: peer)
    }

    /// Answers every message on the socket's thread as soon as it has been received; `receive()` gets none from here on.
    ///
    /// - Parameter handler: Gets the peer, its message with the time of receipt, and a clock for the time of sending:
    ///   `CLOCK_MONOTONIC` in nanoseconds. What it returns is sent at once, or dropped and counted. It must be quick, since
    ///   every socket of the executor waits for it.
    public func respondInline(
        _ handler:
            @escaping @Sendable (PeerID, ReceivedMessage, _ sendTimeNanoseconds: @Sendable () -> Int64) -> Message?
    ) {
        guard core.isOpen else { return }
        core.responder = handler
    }

    /// The next message; waits for it.
    ///
    /// Messages stay in libzmq until asked for, except `SocketOptions.receivePrefetch` of them, so a consumer that is slow
    /// slows the peers down. Several callers get messages in the order of their calls.
    ///
    /// - Returns: nil after `close()`, and when the calling task is cancelled; then no message is lost.
    public func receive() async -> (peer: PeerID, message: ReceivedMessage)? { await core.next(isolation: self) }

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
