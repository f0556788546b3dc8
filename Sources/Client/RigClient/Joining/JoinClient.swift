public import CaptureModel
internal import RigProtocol
public import RigSecurity
public import RigWire
public import ZeroMQ

/// A machine's end of the join channel: asks a coordinator to admit the machine's key. A request may be repeated.
public struct JoinClient: Sendable {
    /// How long a machine may take to accept a connection, and a coordinator to answer those that it admits.
    public static let patience = Duration.seconds(5)
    /// How long an endpoint that accepts connections may take to prove the coordinator's key and to answer. A busy machine is slow to do so.
    static let handshakePatience = Duration.seconds(20)

    let time: any TimeSource
    private let context: ZeroMQContext
    private let executor: SocketExecutor

    public init(context: ZeroMQContext, executor: SocketExecutor, time: any TimeSource) {
        self.context = context
        self.executor = executor
        self.time = time
    }

    func dealer(_ security: SocketSecurity) throws(ZeroMQError) -> DealerSocket {
        var options = SocketOptions()
        options.security = security
        options.handshakeInterval = WireLimits.joinHandshake
        options.maximumMessageSize = WireCoding.join.maximumByteCount
        return try DealerSocket(context: context, executor: executor, options: options)
    }

    /// Asks for admission at the first of the endpoints that answers. All are tried at once, and one of them is asked.
    /// - Parameters:
    ///   - endpoints: Those of the join code, at least one.
    ///   - coordinator: The coordinator's key, which the answering program must have.
    ///   - keys: The pair whose public key is to be admitted.
    /// - Throws: ``JoinError``.
    public func join(
        _ means: JoinMeans, at endpoints: [JoinEndpoint], coordinator: PublicKey, keys: CurveKeyPair
    ) async throws(JoinError) -> JoinOutcome {
        guard let server = CurvePublicKey(bytes: coordinator.bytes) else {
            throw JoinError(.noCoordinator, "the coordinator's key cannot be used")
        }
        let attempt = JoinAttempt(endpoints, mailbox: Mailbox(limit: 64, time: time))
        do {
            try await attempt.connect { () throws(ZeroMQError) in try dealer(.client(keys, server: server)) }
        } catch {
            await attempt.close()
            throw JoinError(.noCoordinator, "no connection can be made: \(error)")
        }
        let result = await attempt.outcome(of: means, time: time)
        await attempt.close()
        return try result.get()
    }
}

/// The answer of a coordinator.
public enum JoinOutcome: Hashable, Sendable {
    /// The key is admitted. `endpoint` is the one that has answered.
    case admitted(JoinAdmission, endpoint: JoinEndpoint)
    /// An admin has not answered yet. Ask again after this pause.
    case waiting(Duration)
}

/// The connections of one request to join.
///
/// | an endpoint | means |
/// |---|---|
/// | completes the handshake | it is asked, if none was asked before |
/// | refuses the key | it is the coordinator, but not its join channel, which admits every key |
/// | ends several connections before that, or all that it accepts in time | its program does not have the coordinator's key, or is too busy |
/// | does neither | nothing answers there |
private final class JoinAttempt {
    enum Event: Sendable {
        case connected(Int)
        case opened(Int)
        case rejected(Int, HandshakeWatch)
        case reply(Int, ReceivedMessage)
    }

    private let endpoints: [JoinEndpoint]
    private let mailbox: Mailbox<Event>
    private var sockets: [DealerSocket] = []
    private var followers: [Task<Void, Never>] = []
    private var asked: Int?
    /// The endpoints that have refused the key or ended a connection early.
    private var findings: [Int: HandshakeWatch.Finding] = [:]
    /// Those that will not do anything else.
    private var rejecting: Set<Int> = []

    init(_ endpoints: [JoinEndpoint], mailbox: sending Mailbox<Event>) {
        self.endpoints = endpoints
        self.mailbox = mailbox
    }

    /// Begins to connect to every endpoint.
    func connect(_ socket: () throws(ZeroMQError) -> DealerSocket) async throws(ZeroMQError) {
        for (index, endpoint) in endpoints.enumerated() {
            let socket = try socket()
            sockets.append(socket)
            followers.append(Self.follow(socket, index, mailbox.sender))
            try await socket.connect(to: endpoint.zeroMQEndpoint)
        }
    }

    func close() async {
        for follower in followers { follower.cancel() }
        for socket in sockets { await socket.close() }
    }

    /// Asks the first endpoint that completes the handshake, and waits for its answer.
    func outcome(of means: JoinMeans, time: any TimeSource) async -> Result<JoinOutcome, JoinError> {
        let start = time.now()
        var deadline = start + JoinClient.patience
        while case .message(let event) = await mailbox.next(within: deadline - time.now()) {
            switch event {
            case .connected: deadline = start + JoinClient.handshakePatience
            case .opened(let index) where asked == nil:
                asked = index
                guard let bytes = try? WireCoding.join.encode(WireJoin(means)) else { continue }
                _ = await sockets[index].send(Message([MessagePart(bytes)]))
            case .opened: continue
            case .rejected(let index, let watch):
                findings[index] = watch.finding
                guard watch.verdict != nil else { continue }
                rejecting.insert(index)
                // The others may still answer.
                if rejecting.count == endpoints.count { return .failure(rejection) }
            case .reply(let index, let message):
                return Self.outcome(of: message, from: endpoints[index])
            }
        }
        return .failure(findings.isEmpty || asked != nil ? noAnswer(waited: deadline - start) : rejection)
    }

    /// Posts what happens to a socket. Unstructured, since it ends with the socket.
    private static func follow(
        _ socket: DealerSocket, _ index: Int, _ sender: Mailbox<Event>.Sender
    ) -> Task<Void, Never> {
        Task {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    var handshake = HandshakeWatch()
                    for await event in socket.connectionEvents {
                        let before = handshake
                        handshake.note(event)
                        switch event.kind {
                        case .connected: sender.post(.connected(index))
                        case .handshakeSucceeded: sender.post(.opened(index))
                        default:
                            if handshake.finding != nil, handshake != before {
                                sender.post(.rejected(index, handshake))
                            }
                        }
                    }
                }
                while let message = await socket.receive() { sender.post(.reply(index, message)) }
                group.cancelAll()
            }
        }
    }

    private static func outcome(
        of message: ReceivedMessage, from endpoint: JoinEndpoint
    ) -> Result<JoinOutcome, JoinError> {
        do throws(WireError) {
            let reply = try WireCoding.join.decode(WireJoinReply.self, from: message.parts.first?.bytes ?? [])
            let reader = FieldReader("JoinReply")
            switch try reader.present(reply.body, "body") {
            case .admission(let admission):
                return .success(.admitted(try JoinAdmission(wire: admission), endpoint: endpoint))
            case .waiting(let waiting):
                let pause = try reader.number(waiting.askAgainNs, "ask_again_ns", in: 1...3_600_000_000_000)
                return .success(.waiting(.nanoseconds(pause)))
            case .refusal(let refusal):
                return .failure(
                    JoinError(
                        .refused(try reader.word(refusal.code, "code")), refusal.message.sentence(limit: 1024),
                        retryAfter: refusal.hasRetryAfterNs ? .nanoseconds(refusal.retryAfterNs) : nil))
            }
        } catch {
            return .failure(
                JoinError(
                    .malformedReply,
                    "the coordinator at \(endpoint) gave an answer that the protocol does not allow (\(error)); use "
                        + "programs of the same version"))
        }
    }

    private var places: String { endpoints.map(\.description).joined(separator: ", ") }

    private func noAnswer(waited: Duration) -> JoinError {
        JoinError(
            .noCoordinator,
            "no coordinator answers at \(places) (waited \(waited.text)); check that it runs, and that this "
                + "machine is in its network")
    }

    private var rejection: JoinError {
        if findings.values.contains(.keyRefused) {
            return JoinError(
                .wrongChannel,
                "the coordinator answers at \(places), but not on the channel for joining; its port is the first of the "
                    + "coordinator's ports plus 5, usually 7715")
        }
        return JoinError(
            .wrongCoordinator,
            "a program answers at \(places) and ends each handshake: it does not have the coordinator's key, or its machine is "
                + "too busy to complete one. Try again. If the coordinator was set up again, use its key of today, or another "
                + "code of it. Otherwise somebody may pose as the coordinator")
    }
}

extension WireJoin {
    fileprivate init(_ means: JoinMeans) {
        self.init()
        requestID = 1
        protocolVersion = ProtocolVersion.current
        self.means = means.wire
    }
}
