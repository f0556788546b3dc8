import CaptureModel
import CaptureTestSupport
import Logging
import RigConfiguration
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Synchronization
import SystemClock
import ZeroMQ

@testable import CoordinatorChannels

/// A whole coordinator on loopback, and sockets to speak to it as an agent, a client or a stranger.
final class WireBench: Sendable {
    let context: ZeroMQContext
    let executor: SocketExecutor
    let coordinator: Coordinator
    private let folder: TemporaryFolder
    private let running: Task<Void, any Error>
    /// Dropping a socket closes it and discards what it has not yet sent, so each stays open as long as the bench.
    private let sockets = Mutex<[DealerSocket]>([])

    /// - Parameters:
    ///   - discipline: How the coordinator's clock is kept in step.
    ///   - prepare: Puts something into `library` of the folder before the coordinator opens it.
    init(
        discipline: (any ClockDiscipline)? = nil, prepare: (TemporaryFolder) async throws -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        try await prepare(folder)
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "test")
        var configuration = CoordinatorConfiguration()
        configuration.library.folder = folder.path + "/library"
        configuration.listen.basePort = 0
        var log = Logger(label: "test")
        log.logLevel = .critical
        var settings = RigLimits()
        // Agents of these tests send no heartbeats, and no step of a test is to be late.
        settings.heartbeatTimeout = .seconds(600)
        (settings.arming, settings.grace) = (.seconds(600), .seconds(600))
        coordinator = try await Coordinator(
            configuration: configuration, discipline: discipline, clock: SystemTimeSource(), log: log,
            settings: settings)
        running = Task { [coordinator] in try await coordinator.run() }
    }

    var library: String { folder.path + "/library" }

    func end() async {
        running.cancel()
        _ = await running.result
    }

    func dealer(_ endpoint: String) async throws -> DealerSocket {
        let socket = try DealerSocket(context: context, executor: executor)
        sockets.withLock { $0.append(socket) }
        try await socket.connect(to: endpoint)
        return socket
    }

    func endpoint(_ port: UInt16) -> String { "tcp://127.0.0.1:\(port)" }

    var control: String { coordinator.endpoints.control }
    var client: String { coordinator.endpoints.client }
    var collect: String { endpoint(coordinator.endpoints.collectPort) }
    var clock: String { endpoint(coordinator.endpoints.clockPort) }

    /// What the coordinator says of itself.
    func status(_ socket: DealerSocket) async throws -> WireRigStatus? {
        var request = WireClientRequest()
        request.requestID = 1
        request.getStatus = WireGetStatus()
        guard case .status(let status)? = try await ask(socket, request).body else { return nil }
        return status
    }

    /// How many messages the coordinator has dropped for `reason`, once it has counted `count` of them or the test is cancelled: it
    /// acknowledges a heartbeat at its receipt, before it has counted what came earlier.
    func drops(_ reason: String, once count: UInt64, _ socket: DealerSocket) async throws -> UInt64 {
        while true {
            try Task.checkCancellation()
            let counted = try await status(socket)?.droppedMessages[reason] ?? 0
            if counted >= count { return counted }
            await Task.yield()
        }
    }

    /// Sends a request of this build's version, unless it says another one.
    func ask(_ socket: DealerSocket, _ request: WireClientRequest) async throws -> WireClientReply {
        var request = request
        if request.protocolVersion == 0 { request.protocolVersion = ProtocolVersion.current }
        _ = await socket.send(Message(try WireCoding.client.encode(request)))
        guard let received = await socket.receive() else { return WireClientReply() }
        return try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
    }
}

/// An agent that a test plays.
struct FakeAgent {
    let socket: DealerSocket
    let node: String
    let epoch: UInt64
    var coordinatorEpoch: UInt64 = 0

    init(_ bench: WireBench, node: String, epoch: UInt64 = Epoch.random().rawValue) async throws {
        socket = try await bench.dealer(bench.control)
        self.node = node
        self.epoch = epoch
    }

    func send(_ body: WireAgentMessage.OneOf_Body?, change: (inout WireAgentMessage) -> Void = { _ in }) async throws {
        var message = WireAgentMessage()
        message.node = node
        message.epoch = epoch
        message.coordinatorEpoch = coordinatorEpoch
        message.body = body
        change(&message)
        _ = await socket.send(Message(try WireCoding.control.encode(message)))
    }

    func receive() async throws -> WireCoordinatorMessage {
        guard let received = await socket.receive() else { return WireCoordinatorMessage() }
        return try WireCoding.control.decode(WireCoordinatorMessage.self, from: received.message.parts[0].bytes)
    }

    static func hello(_ node: String, boot: String = "boot") throws -> WireHello {
        var hello = WireHello()
        hello.protocolVersion = ProtocolVersion.current
        hello.bootID = boot
        hello.software = "test"
        hello.devices = [try Samples.status("\(node)/cam").wire]
        hello.ringDepthNs = 3_000_000_000
        return hello
    }

    /// Says hello and returns what is answered.
    mutating func join() async throws -> WireCoordinatorMessage {
        try await send(.hello(try Self.hello(node)))
        let answer = try await receive()
        coordinatorEpoch = answer.epoch
        return answer
    }

    /// Receives the order about a device that follows the order `number`. The coordinator repeats an order until it has the answer, so
    /// earlier ones may still arrive.
    func deviceOrder(after number: UInt64 = 0) async throws -> WireDeviceOrder {
        while true {
            let message = try await receive()
            if message.body == nil || message.deviceOrder.requestID > number { return message.deviceOrder }
        }
    }

    /// Whether a heartbeat is acknowledged under its number.
    func beats(_ number: UInt64) async throws -> Bool {
        var heartbeat = WireHeartbeat()
        heartbeat.sequence = number
        try await send(.heartbeat(heartbeat))
        while true {
            let answer = try await receive()
            if case .heartbeatAck(let ack)? = answer.body { return ack.sequence == number }
            if answer.body == nil { return false }
        }
    }
}
