import CaptureModel
import CaptureTestSupport
import ChannelSecurity
import Foundation
import KeyFiles
import Logging
import RigAccess
import RigConfiguration
import RigProtocol
import RigSecurity
import RigWire
import Synchronization
import SystemClock
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// A whole coordinator with keys on loopback, and sockets with keys of their own.
final class KeyedBench: Sendable {
    let context: ZeroMQContext
    let executor: SocketExecutor
    let keys: CoordinatorKeys
    let coordinator: Coordinator
    private let folder: TemporaryFolder
    private let running: Task<Void, any Error>
    /// Dropping a socket closes it and discards what it has not yet sent, so each stays open as long as the bench.
    private let sockets = Mutex<[DealerSocket]>([])

    init() async throws {
        folder = try TemporaryFolder()
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "test")
        var configuration = CoordinatorConfiguration()
        configuration.library.folder = folder.path + "/library"
        configuration.state.folder = folder.path + "/state"
        configuration.listen.basePort = 0
        keys = try await Self.keys(in: folder)
        coordinator = try await Coordinator(
            configuration: configuration, keys: keys, clock: SystemTimeSource(), log: Self.log)
        running = Task { [coordinator] in try await coordinator.run() }
    }

    func end() async {
        running.cancel()
        _ = await running.result
    }

    /// The keys as the next run of an ended coordinator finds them.
    func keysOfNextRun() async throws -> CoordinatorKeys { try await Self.keys(in: folder) }

    private static func keys(in folder: TemporaryFolder) async throws -> CoordinatorKeys {
        try await CoordinatorKeys(
            folder: folder.path + "/state", rig: RigName("studio"), auditLimit: .mebibytes(16), environment: [:],
            clock: SystemTimeSource(), log: log)
    }

    private static var log: Logger {
        var log = Logger(label: "test")
        log.logLevel = .critical
        return log
    }

    var adminFolder: String { folder.path + "/state/admin" }

    func endpoint(_ domain: AccessDomain) -> String {
        let endpoints = coordinator.endpoints
        return switch domain {
        case .control: endpoints.control
        case .clock: "tcp://127.0.0.1:\(endpoints.clockPort)"
        case .collect: "tcp://127.0.0.1:\(endpoints.collectPort)"
        case .client: endpoints.client
        case .feed: endpoints.feed
        case .join: endpoints.join ?? ""
        case .frames: ""
        }
    }

    /// Admits a new key.
    func admit(_ name: String, _ role: Role) async throws -> CurveKeyPair {
        let pair = try CurveKeyPair.generate()
        let key = try #require(PublicKey(pair.publicKey))
        _ = try await keys.access.admit(key, as: KeyName(name), role: role, by: .coordinator)
        return pair
    }

    func dealer(_ pair: CurveKeyPair, _ domain: AccessDomain) async throws -> DealerSocket {
        try await dealer(pair, at: endpoint(domain), knowing: keys.own.publicKey)
    }

    /// - Parameter key: The key that the coordinator has to prove.
    func dealer(_ pair: CurveKeyPair, at endpoint: String, knowing key: PublicKey) async throws -> DealerSocket {
        var options = SocketOptions()
        options.security = .client(pair, server: try #require(CurvePublicKey(bytes: key.bytes)))
        options.reconnectIntervalMax = .milliseconds(100)
        let socket = try DealerSocket(context: context, executor: executor, options: options)
        sockets.withLock { $0.append(socket) }
        try await socket.connect(to: endpoint)
        return socket
    }

    /// The names of the files of the coordinator's key pairs.
    func ownKeyFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state/keys").filter { !$0.hasPrefix(".") }
    }

    /// - Parameter session: The secret of the session in whose name to ask; empty: none.
    func ask(
        _ socket: DealerSocket, _ body: WireClientRequest.OneOf_Body, session: Data = Data()
    ) async throws -> WireClientReply {
        var request = WireClientRequest()
        request.session = session
        (request.requestID, request.protocolVersion, request.body) = (1, ProtocolVersion.current, body)
        _ = await socket.send(Message(try WireCoding.client.encode(request)))
        guard let received = await socket.receive() else { return WireClientReply() }
        return try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
    }
}
