public import CaptureModel
public import RigAccess
public import ZeroMQ

/// The test that a daemon makes of its own sockets before it reads any message: a key that nobody knows must be refused
/// by each.
///
/// libzmq admits every key where no authenticator is asked. A change of the library, or a mistake in this program, would
/// open the rig without any other sign.
public enum GateTest {
    /// How long a socket may take to refuse. A machine that is just being set up is busy.
    public static let patience = Duration.seconds(12)

    /// Connects with a new key to each endpoint, all at once, and waits until each has refused it.
    /// - Parameters:
    ///   - endpoints: Bound endpoints of the channels.
    ///   - key: The public key of their server.
    ///   - gate: The gate that decides, which does not report these refusals.
    /// - Throws: ``GateFailure`` for the first channel that admits the key, or does not answer.
    public static func refusesStrangers(
        at endpoints: [AccessDomain: String], key: CurvePublicKey, gate: ConnectionGate? = nil,
        context: ZeroMQContext, clock: any TimeSource
    ) async throws {
        let executor = try SocketExecutor(name: "zmq-selftest")
        let stranger = try CurveKeyPair.generate()
        gate?.expectRefusal(of: stranger.publicKey)
        try await withThrowingTaskGroup { group in
            for (domain, endpoint) in endpoints {
                var options = SocketOptions()
                options.security = .client(stranger, server: key)
                let socket = try StrangerSocket(domain, context: context, executor: executor, options: options)
                group.addTask { try await check(socket, domain.rawValue, endpoint, clock) }
            }
            try await group.waitForAll()
        }
    }

    private static func check(
        _ socket: StrangerSocket, _ channel: String, _ endpoint: String, _ clock: any TimeSource
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                for await event in socket.connectionEvents {
                    switch event.kind {
                    case .authenticationFailed: return
                    case .handshakeSucceeded: throw GateFailure(.admitsStrangers, channel, endpoint)
                    default: continue
                    }
                }
                throw GateFailure(.noAnswer, channel, endpoint)
            }
            group.addTask {
                try await clock.sleep(for: patience)
                throw GateFailure(.noAnswer, channel, endpoint)
            }
            try await socket.connect(to: endpoint)
            defer { group.cancelAll() }
            do { try await group.next() } catch {
                await socket.close()
                throw error
            }
            await socket.close()
        }
    }
}

/// A socket of the kind that a channel expects: libzmq ends the connection of another kind before it asks about its key.
private enum StrangerSocket: Sendable {
    case dealer(DealerSocket)
    case subscriber(SubscriberSocket)

    init(
        _ domain: AccessDomain, context: ZeroMQContext, executor: SocketExecutor, options: SocketOptions
    ) throws(ZeroMQError) {
        switch domain {
        case .feed, .frames:
            self = .subscriber(try SubscriberSocket(context: context, executor: executor, options: options))
        case .control, .clock, .collect, .client, .join:
            self = .dealer(try DealerSocket(context: context, executor: executor, options: options))
        }
    }

    var connectionEvents: AsyncStream<ConnectionEvent> {
        switch self {
        case .dealer(let socket): socket.connectionEvents
        case .subscriber(let socket): socket.connectionEvents
        }
    }

    func connect(to endpoint: String) async throws(ZeroMQError) {
        switch self {
        case .dealer(let socket): try await socket.connect(to: endpoint)
        case .subscriber(let socket): try await socket.connect(to: endpoint)
        }
    }

    func close() async {
        switch self {
        case .dealer(let socket): await socket.close()
        case .subscriber(let socket): await socket.close()
        }
    }
}
