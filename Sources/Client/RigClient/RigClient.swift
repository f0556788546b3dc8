public import CaptureModel
internal import RigProtocol
internal import RigWire
public import ZeroMQ

/// A program's end of the coordinator's client channel.
///
/// ZeroMQ connects in the background and says nothing when nobody is there, so every request ends with
/// ``RigClientError/Code/noCoordinator`` when no answer has come within `patience`. Every request may be repeated
/// without harm. Close it when done; requests under way then end with ``RigClientError/Code/closed``.
public actor RigClient {
    /// How long a request waits for its answer.
    public let patience: Duration
    /// Who asks, as every request tells the coordinator; empty where nobody says.
    private let name: String

    let time: any TimeSource
    let context: ZeroMQContext
    let executor: SocketExecutor
    private let socket: DealerSocket
    private var slots: [UInt64: Mailbox<WireClientReply>.Slot] = [:]
    private var lastRequest: UInt64 = 0
    private var reader: Task<Void, Never>?
    private(set) var endpoint = ""
    private var isClosed = false
    /// When the last message of any kind came.
    private var lastHeard: LocalTime?

    /// - Parameters:
    ///   - context: The process's ZeroMQ context.
    ///   - executor: The thread that the client's sockets live on.
    ///   - time: The clock of all waiting.
    ///   - patience: How long a request waits for its answer.
    ///   - name: Who asks, such as `anna@studio-1`; the coordinator takes no notice of one that `Principal` does not allow.
    /// - Throws: ``RigClientError`` where the system has no socket to give.
    public init(
        context: ZeroMQContext, executor: SocketExecutor, time: any TimeSource, patience: Duration = .seconds(3),
        name: String = ""
    ) throws(RigClientError) {
        self.context = context
        self.executor = executor
        self.time = time
        self.patience = patience
        self.name = name
        do {
            socket = try DealerSocket(context: context, executor: executor, options: Self.options)
        } catch {
            throw .closed(operation: "connect", endpoint: "", reason: error.description)
        }
    }

    /// Begins to connect to a coordinator's client endpoint, such as `tcp://127.0.0.1:7713`; call it once.
    /// - Throws: ``RigClientError`` where this is no endpoint.
    public func connect(to endpoint: String) async throws(RigClientError) {
        do {
            try await socket.connect(to: endpoint)
        } catch {
            throw .closed(operation: "connect", endpoint: endpoint, reason: "\(error)")
        }
        self.endpoint = endpoint
        // Unstructured, because it lives as long as the socket; it keeps only the socket alive.
        reader = Task { [socket, weak self] in
            while let received = await socket.receive() {
                await self?.deliver(received)
            }
            await self?.ended()
        }
    }

    /// Ends the connection and every request under way.
    public func close() async {
        ended()
        reader?.cancel()
        await socket.close()
    }

    private func ended() {
        isClosed = true
        for slot in slots.values { slot.close() }
        slots = [:]
    }

    /// A reply that cannot be read, or that nobody waits for any more, is dropped: its request ends by silence.
    private func deliver(_ received: ReceivedMessage) {
        lastHeard = time.now()
        guard let part = received.parts.first, received.parts.count == 1,
            let reply = try? WireCoding.client.decode(WireClientReply.self, from: part.bytes)
        else { return }
        slots[reply.requestID]?.post(reply)
    }

    /// Sends a request whose replies go to `slot` until ``forget(_:)``.
    /// - Returns: The request's id.
    func send(
        _ body: WireClientRequest.OneOf_Body, repliesTo slot: Mailbox<WireClientReply>.Slot, operation: String
    ) async throws(RigClientError) -> UInt64 {
        guard !isClosed else { throw .closed(operation: operation, endpoint: endpoint) }
        lastRequest += 1
        let id = lastRequest
        var request = WireClientRequest()
        request.requestID = id
        request.clientName = name
        request.body = body
        let bytes: [UInt8]
        do {
            bytes = try WireCoding.client.encode(request)
        } catch {
            throw RigClientError(
                .refused("oversized"), operation: operation, endpoint: endpoint, cause: "the request \(error)")
        }
        slots[id] = slot
        if case .refused(.closed) = await socket.send(Message([MessagePart(bytes)])) {
            throw .closed(operation: operation, endpoint: endpoint)
        }
        return id
    }

    /// Connections made so far: replies to what was sent on an earlier one do not come.
    var connections: Int {
        get async { await socket.counters.connects }
    }

    /// Makes the connection anew where nothing at all has come on it since a request that should have been answered: it may have
    /// fallen silent without an end. Other requests under way notice by ``connections`` that they are to be repeated.
    func reconnect(ifSilentSince sent: LocalTime) async {
        guard !isClosed, lastHeard.map({ $0 < sent }) ?? true else { return }
        // Of one that is closed meanwhile the next request tells.
        try? await socket.reconnect()
    }

    /// Ends the interest in a request's replies.
    func forget(_ request: UInt64) {
        slots[request] = nil
    }

    /// Reconnects quickly, since a person waits; nothing lingers after closing, since nobody hears the answer.
    private static var options: SocketOptions {
        var options = SocketOptions()
        options.reconnectIntervalMax = .milliseconds(400)
        options.maximumPartCount = 2
        return options
    }
}
