import CaptureModel
import FaultPoints
import Logging
import NodeCore
import RigProtocol
import RigWire
import ZeroMQ

/// The agent's end of the collect channel: decodes the coordinator's requests for ``CollectedFiles`` and encodes the
/// answers. It sends only what was requested, so the coordinator's credit is the only flow control.
actor CollectLink {
    private let socket: DealerSocket
    private let identity: AgentIdentity
    private let files: CollectedFiles
    private let log: Logger
    private let clock: any TimeSource
    private var endpoint: String?
    /// Waits longer after each vain attempt: requests wait behind the chunks that a slow link still has to carry.
    private var silence = SilenceWatch(patience: RetryDelay(first: .seconds(4), last: .seconds(60)))
    private var dropped = DroppedMessages()
    private let lane = SendLane<Message>()
    private static let keepAliveInterval = Duration.seconds(1)

    init(socket: DealerSocket, identity: AgentIdentity, files: CollectedFiles, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.clock = clock
        self.identity = identity
        self.files = files
        self.log = log
    }

    /// Follows the coordinator to its collect channel and introduces this agent there.
    func follow(to newEndpoint: String) async {
        if newEndpoint != endpoint {
            if let endpoint { try? await socket.disconnect(from: endpoint) }
            do {
                try await socket.connect(to: newEndpoint)
                endpoint = newEndpoint
            } catch {
                log.error("no collect channel", metadata: ["endpoint": "\(newEndpoint)", "reason": "\(error)"])
                return
            }
        }
        await send(.hello(WireCollectHello()))
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sayHelloOnEachConnection() }
            group.addTask { await self.keepAlive() }
            await serve()
            group.cancelAll()
        }
    }

    /// A connection that was made again has another routing id, which the coordinator does not know.
    private func sayHelloOnEachConnection() async {
        for await event in socket.connectionEvents where event.kind == .handshakeSucceeded {
            await send(.hello(WireCollectHello()))
        }
    }

    /// The coordinator sends only while it wants files, so this end requests a sign of life.
    private func keepAlive() async {
        while true {
            do { try await clock.sleep(for: Self.keepAliveInterval) } catch { return }
            if silence.checkSilence(at: clock.now()) {
                log.warning(
                    "the collect channel is silent; connecting again", metadata: ["endpoint": "\(endpoint ?? "")"])
                do { try await socket.reconnect() } catch {
                    log.error("the collect channel cannot be connected again", metadata: ["reason": "\(error)"])
                }
            } else if await send(.keepAlive(WireCollectKeepAlive()), queueing: false) == .sent {
                silence.asked(at: clock.now())
            }
        }
    }

    private func serve() async {
        while let received = await socket.receive() {
            await AgentCollectWaitFault.received.reached()
            silence.heard(isAnswer: false)
            do {
                guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
                let bytes = received.message.parts[0].bytes
                await handle(try WireCoding.collect.decode(WireCollectFromCoordinator.self, from: bytes))
            } catch {
                drop(.malformed, "\(error)")
            }
        }
    }

    private func handle(_ message: WireCollectFromCoordinator) async {
        if case .helloRequired = message.body {
            await send(.hello(WireCollectHello()))
            return
        }
        guard message.agentEpoch == identity.epoch.rawValue else {
            return drop(.oldEpoch, "epoch \(message.agentEpoch)")
        }
        do {
            switch message.body {
            case .chunkRequest(let request): await answer(request, try FileKey(wire: request.file))
            case .durable(let durable): try await release(durable)
            case .keepAlive: silence.heard()
            case .helloRequired, nil: drop(.unknown, "a message without a body this version knows")
            }
        } catch {
            drop(.malformed, "\(error)")
        }
    }

    private func answer(_ request: WireChunkRequest, _ key: FileKey) async {
        switch await files.chunk(of: key, at: request.offset, count: request.count) {
        case .success(let bytes):
            var chunk = WireChunk()
            chunk.file = request.file
            chunk.offset = request.offset
            chunk.count = Int64(bytes.count)
            await send(.chunk(chunk), payload: bytes)
        case .failure(let problem):
            var refusal = WireChunkRefused()
            refusal.file = request.file
            refusal.offset = request.offset
            refusal.problem = problem.wire
            await send(.chunkRefused(refusal))
        }
    }

    private func release(_ durable: WireDurable) async throws {
        let outcome: CollectedFiles.Outcome =
            durable.failed ? .failed : .stored(try ContentDigest(wire: durable.sha256))
        guard await files.release(try FileKey(wire: durable.file), outcome) else { return }
        var released = WireReleased()
        released.file = durable.file
        await send(.released(released))
    }

    /// - Parameter queueing: Whether the message may wait for a connection.
    @discardableResult
    private func send(
        _ body: WireCollectFromAgent.OneOf_Body, payload: [UInt8]? = nil, queueing: Bool = true
    ) async -> SendOutcome? {
        var message = WireCollectFromAgent()
        message.node = identity.node.rawValue
        message.epoch = identity.epoch.rawValue
        message.body = body
        guard let header = try? WireCoding.collect.encode(message) else { return nil }
        let parts = [MessagePart(header)] + (payload.map { [MessagePart($0)] } ?? [])
        let outcome = await lane.pass(Message(parts), at: AgentCollectSendFault(body)) { message in
            queueing ? await socket.send(message) : await socket.send { _ in message }
        }
        if queueing, case .refused(let refusal) = outcome { drop(.unsent, "\(refusal)") }
        return outcome
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("collect messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}

/// The agent's messages on the collect channel, before they are sent.
enum AgentCollectSendFault: String, SendFaultPoint {
    case hello = "agent.collect.send.hello"
    case chunk = "agent.collect.send.chunk"
    case chunkRefused = "agent.collect.send.chunkRefused"
    case released = "agent.collect.send.released"
    case keepAlive = "agent.collect.send.keepAlive"

    init(_ body: WireCollectFromAgent.OneOf_Body) {
        switch body {
        case .hello: self = .hello
        case .chunk: self = .chunk
        case .chunkRefused: self = .chunkRefused
        case .released: self = .released
        case .keepAlive: self = .keepAlive
        }
    }
}

/// Points where the agent's tasks of the collect channel wait.
enum AgentCollectWaitFault: String, TaskFaultPoint {
    /// A message has arrived and is not read yet.
    case received = "agent.collect.wait.message"
}
