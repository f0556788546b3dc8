public import CaptureModel
internal import FoundationEssentials
internal import RigConfiguration
internal import RigProtocol
public import RigSecurity
internal import RigWire
public import ZeroMQ

/// A program's end of the coordinator's client channel.
///
/// ZeroMQ connects in the background and does not report an absent peer. So every request ends with
/// ``RigClientError/Code/noCoordinator`` if no answer arrives within `patience`; a change, which a slow disk delays, with
/// ``RigClientError/Code/lostCoordinator`` after 20 s. Every request may be repeated without harm. Close the client when
/// done; requests under way then end with ``RigClientError/Code/closed``.
public actor RigClient {
    /// How long a request that changes nothing waits for its answer.
    public let patience: Duration
    /// The requester's name, sent with every request; empty if unknown.
    private let name: String
    /// nil for a rig without keys.
    private(set) var keys: ClientKeys?
    private var following: KeyFollowing

    let time: any TimeSource
    let context: ZeroMQContext
    let executor: SocketExecutor
    private let socket: DealerSocket
    private var senders: [UInt64: Mailbox<WireClientReply>.Sender] = [:]
    private var lastRequest: UInt64 = 0
    private var reader: Task<Void, Never>?
    /// The coordinator's endpoint; empty before ``connect(to:)``.
    public private(set) var endpoint = ""
    private var isClosed = false
    private var handshake = HandshakeWatch()
    private var handshakeFollower: Task<Void, Never>?
    /// When the last message of any kind arrived.
    private var lastHeard: LocalTime?

    /// - Parameters:
    ///   - context: The process's ZeroMQ context.
    ///   - executor: The thread of the client's sockets.
    ///   - time: The clock of all waiting.
    ///   - patience: How long a request waits for its answer.
    ///   - name: The requester, such as `anna@studio-1`. The coordinator ignores it if the rig has keys, and a name that
    ///     `Principal` does not allow.
    ///   - keys: nil for a rig without keys.
    ///   - keeper: Where the coordinator's key is kept. If the coordinator replaces it, the client follows.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, time: any TimeSource, patience: Duration = .seconds(3),
        name: String = "", keys: ClientKeys? = nil, keeper: CoordinatorKeyKeeper = .memory
    ) throws(RigClientError) {
        try self.init(
            context: context, executor: executor, time: time, patience: patience, name: name, keys: keys,
            following: KeyFollowing(keeper))
    }

    /// - Parameter following: What the client does if the coordinator has another key.
    init(
        context: ZeroMQContext, executor: SocketExecutor, time: any TimeSource, patience: Duration, name: String,
        keys: ClientKeys?, following: KeyFollowing
    ) throws(RigClientError) {
        self.context = context
        self.executor = executor
        self.time = time
        self.patience = patience
        self.name = name
        self.keys = keys
        self.following = following
        do {
            var options = Self.options
            if let keys { options.security = keys.toCoordinator }
            socket = try DealerSocket(context: context, executor: executor, options: options)
        } catch {
            throw .closed(operation: "connect", endpoint: "", reason: error.description)
        }
    }

    /// Begins to connect to a coordinator's client endpoint, such as `tcp://127.0.0.1:7713`; call it once.
    /// - Throws: ``RigClientError`` if this is not an endpoint.
    public func connect(to endpoint: String) async throws(RigClientError) {
        do {
            try await socket.connect(to: endpoint)
        } catch {
            throw .closed(operation: "connect", endpoint: endpoint, reason: "\(error)")
        }
        self.endpoint = endpoint
        // Unstructured, since it lives as long as the socket; it keeps only the socket alive.
        reader = Task { [socket, weak self] in
            while let received = await socket.receive() {
                await self?.deliver(received)
            }
            await self?.ended()
        }
        handshakeFollower = Task { [socket, weak self] in
            for await event in socket.connectionEvents { await self?.note(event) }
        }
    }

    private func note(_ event: ConnectionEvent) {
        handshake.note(event)
        guard handshake.finding == .endedEarly, let keys, !isClosed, following.begins(at: time.now()) else { return }
        // Unstructured, so that further events are handled until it ends.
        Task { await self.follow(keys) }
    }

    /// Connects with the coordinator's new key, if it has one. Requests under way are repeated, as after every new connection.
    private func follow(_ known: ClientKeys) async {
        let found = await newCoordinatorKey(insteadOf: known, keeper: following.keeper)
        following.ended(at: time.now())
        guard let found, !isClosed else { return }
        keys?.coordinator = found
        handshake = HandshakeWatch()
        do {
            try await socket.secure(with: .client(known.pair, server: found))
            try await socket.reconnect()
        } catch {
            // The socket is being closed; the next request reports it.
        }
    }

    /// Why no answer has arrived within `limit`.
    func noAnswer(to operation: String, waited limit: Duration) async -> RigClientError {
        guard let finding = handshake.finding else {
            return .noCoordinator(endpoint, operation: operation, waited: limit)
        }
        switch finding {
        case .keyRefused:
            return keyRefused(operation, await refusal ?? Self.unexplained)
        case .endedEarly where keys == nil:
            return RigClientError(
                .keyRefused, operation: operation, endpoint: endpoint,
                cause:
                    "the coordinator at \(endpoint) ends connections without a key; ask an administrator for a code and "
                    + "run: capctl join CODE")
        case .endedEarly:
            return RigClientError(
                .wrongCoordinator, operation: operation, endpoint: endpoint,
                cause:
                    "the program at \(endpoint) ends connections before it proves the coordinator's key: it is another "
                    + "coordinator, or it accepts no further connection; check the address, or join again with a new code"
            )
        }
    }

    /// The refusal of the client's key, after another channel of the rig has refused it.
    /// - Returns: nil if the coordinator admits the key, or does not say that it does not.
    func keyRefusal(operation: String) async -> RigClientError? {
        await refusal.map { keyRefused(operation, $0) }
    }

    private func keyRefused(_ operation: String, _ reason: String) -> RigClientError {
        RigClientError(
            .keyRefused, operation: operation, endpoint: endpoint,
            cause: "the coordinator at \(endpoint) does not admit the key: \(reason)")
    }

    /// Why the coordinator does not admit the key, and what to do, in its own words on its join channel; nil if it does not say.
    private var refusal: String? {
        get async {
            let join = TCPEndpoint(endpoint)?.channel(.join, from: .client)
            let joining = JoinClient(context: context, executor: executor, time: time)
            guard let keys, let join else { return nil }
            switch await joining.standing(of: keys.pair, at: join, coordinator: keys.coordinator) {
            case .refused(let reason): return reason
            case .admitted(let name, .node):
                return
                    "it is the key of node '\(name)', with which no program can ask anything; ask an administrator for a code "
                    + "and run: capctl join CODE"
            case .admitted, nil: return nil
            }
        }
    }

    private static let unexplained =
        "the rig does not know it, or it was revoked; ask an administrator for a code and run: capctl join CODE"

    /// The key that the coordinator has proved to have; nil for a rig without keys.
    public var coordinatorKey: PublicKey? { keys.flatMap { PublicKey(bytes: $0.coordinator.bytes) } }

    /// Ends the connection and every request under way.
    public func close() async {
        ended()
        reader?.cancel()
        handshakeFollower?.cancel()
        await socket.close()
    }

    private func ended() {
        isClosed = true
        for sender in senders.values { sender.close() }
        senders = [:]
    }

    /// A reply that cannot be read, or that no request waits for, is dropped: its request ends by silence.
    private func deliver(_ received: ReceivedMessage) {
        lastHeard = time.now()
        guard let part = received.parts.first, received.parts.count == 1,
            let reply = try? WireCoding.client.decode(WireClientReply.self, from: part.bytes)
        else { return }
        senders[reply.requestID]?.post(reply)
    }

    /// Sends a request whose replies go to `slot` until ``forget(_:)``.
    /// - Parameter number: The same in each repeat of a request. The coordinator carries a command about keys with it out once.
    /// - Returns: The request's id.
    func send(
        _ body: WireClientRequest.OneOf_Body, number: UInt64 = 0, repliesTo sender: Mailbox<WireClientReply>.Sender,
        operation: String
    ) async throws(RigClientError) -> UInt64 {
        guard !isClosed else { throw .closed(operation: operation, endpoint: endpoint) }
        lastRequest += 1
        let id = lastRequest
        var request = WireClientRequest()
        request.requestID = id
        request.protocolVersion = ProtocolVersion.current
        request.clientName = name
        request.requestNumber = number
        if let session = Self.session { request.session = Data(session.bytes) }
        request.body =
            if let condition = Self.condition, body.isChange { .conditionalChange(condition.wire(of: body)) } else {
                body
            }
        let bytes: [UInt8]
        do {
            bytes = try WireCoding.client.encode(request)
        } catch {
            throw RigClientError(
                .refused("oversized"), operation: operation, endpoint: endpoint, cause: "the request \(error)")
        }
        senders[id] = sender
        if case .refused(.closed) = await socket.send(Message([MessagePart(bytes)])) {
            throw .closed(operation: operation, endpoint: endpoint)
        }
        return id
    }

    /// Number of connections made so far: replies to a request sent on an earlier connection do not arrive.
    var connections: Int {
        get async { await socket.counters.connects }
    }

    /// Whether there ever was a connection, and the other end did not refuse it.
    var isReachable: Bool {
        get async { handshake.finding == nil ? await connections > 0 : false }
    }

    /// Makes the connection again if nothing at all has arrived on it since a request that should have been answered:
    /// the connection may have become silent without an end. Other requests under way notice by ``connections`` that
    /// they must be repeated.
    func reconnect(ifSilentSince sent: LocalTime) async {
        guard !isClosed, lastHeard.map({ $0 < sent }) ?? true else { return }
        // If the client is closed before that, the next request reports it.
        try? await socket.reconnect()
    }

    /// Drops further replies to a request.
    func forget(_ request: UInt64) {
        senders[request] = nil
    }

    /// Reconnects quickly, since a person waits. Nothing lingers after closing, since nobody reads the answer.
    private static var options: SocketOptions {
        var options = SocketOptions()
        options.reconnectIntervalMax = .milliseconds(400)
        options.maximumPartCount = 2
        return options
    }
}
