import CaptureModel
import KeyFiles
import Logging
import PosixSupport
import RigConfiguration
import RigSecurity
import ZeroMQ

/// The owner of how an agent's sockets reach the coordinator: follows a key that is replaced, by ``CoordinatorSearch``. A new key is stored before
/// it is used, so that the next run knows it. It runs on a thread that may block on the disk.
actor CoordinatorPath {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let sockets: AgentSockets
    private let keys: AgentKeys
    private let clock: any TimeSource
    private let log: Logger
    private let usual: String
    /// What the control channel connects to.
    private var endpoint: String
    private var search: CoordinatorSearch<CurvePublicKey>
    /// The key that all sockets expect.
    private var secured: CurvePublicKey
    /// The state of the control channel's connection.
    private var connection = Connection.none
    private var pause = RetryDelay(first: .milliseconds(250), last: .seconds(5))
    /// Whether the search has led elsewhere, and the sockets follow after a pause.
    private var isTurning = false
    private let turns = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private enum Connection {
        case none
        /// It exists, and the coordinator has not proved its key.
        case unproved
        case usable
    }

    /// - Parameter usual: The endpoint of the coordinator's control channel.
    init(_ keys: AgentKeys, to usual: String, sockets: AgentSockets, clock: any TimeSource, log: Logger) throws {
        executor = try ThreadExecutor(name: "coordinator")
        search = CoordinatorSearch(keys.coordinator.key)
        secured = keys.coordinator.key
        endpoint = usual
        (self.keys, self.usual, self.sockets, self.clock, self.log) = (keys, usual, sockets, clock, log)
    }

    /// Where the control channel connects to, and the key that is expected there.
    var target: (TCPEndpoint, CurvePublicKey)? {
        TCPEndpoint(endpoint).map { ($0, search.key) }
    }

    /// Connects for the first time.
    func connect() async throws(ZeroMQError) {
        try await sockets.control.connect(to: endpoint)
    }

    /// Turns elsewhere after failures, until the task is cancelled.
    func run() async {
        for await _ in turns.stream {
            guard (try? await clock.sleep(for: pause.advance())) != nil else { return }
            await connectAnew()
        }
    }

    /// Follows an event of the control channel's connection.
    func note(_ event: ConnectionEvent) async {
        // Events of an endpoint that was left may still arrive.
        guard !isTurning, event.endpoint.port == endpoint.port else { return }
        switch event.kind {
        case .connected: connection = .unproved
        case .handshakeSucceeded:
            connection = .usable
            pause.reset()
        case .handshakeFailed, .handshakeProtocolError, .disconnected:
            let ended = connection
            connection = .none
            switch ended {
            case .none: break
            case .unproved: if search.failed(isAnswered: true) { turn() }
            case .usable: if search.lost() { await connectAnew() }
            }
        case .connectRetried: if connection == .none, search.failed(isAnswered: false) { turn() }
        default: break
        }
    }

    /// Takes the key that the coordinator tells on a connection that has proved the one before.
    func learned(_ told: PublicKey) async {
        guard let key = CurvePublicKey(bytes: told.bytes), key != search.newest else { return }
        do {
            try keys.store(key)
        } catch {
            // The coordinator tells it again after the next welcome.
            return log.error("the coordinator's new key is not stored", metadata: ["reason": "\(error)"])
        }
        log.notice("the coordinator has a new key", metadata: ["key": "\(told)"])
        if search.learned(key) { await connectAnew() }
    }

    private func turn() {
        isTurning = true
        turns.continuation.yield()
    }

    private func connectAnew() async {
        isTurning = false
        connection = .none
        let left = endpoint
        endpoint = search.place == .usual ? usual : SecondPort.endpoint(of: usual) ?? usual
        let security = SocketSecurity.client(keys.pair, server: search.key)
        do {
            // Clock and collect are disturbed only by another key.
            for socket in search.key == secured ? [] : [sockets.clock, sockets.collect] {
                try await socket.secure(with: security)
                try await socket.reconnect()
            }
            secured = search.key
            try await sockets.control.secure(with: security)
            try await sockets.control.disconnect(from: left)
            try await sockets.control.connect(to: endpoint)
        } catch {
            log.error(
                "the coordinator cannot be connected to again",
                metadata: ["endpoint": "\(endpoint)", "reason": "\(error)"])
        }
    }
}

extension String {
    /// The port of an endpoint.
    fileprivate var port: Substring { self[(lastIndex(of: ":") ?? startIndex)...] }
}
