import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import ZeroMQ

/// A coordinator's control, clock and collect channels, as one life of it; a test says what is sent.
final class FakeCoordinator: Sendable {
    struct Heard: Sendable {
        var peer: PeerID?
        var messages: [WireAgentMessage] = []
        var probes = 0
    }

    let epoch = Epoch.random()
    let endpoint: String
    let heard = Observed(Heard())
    private let control: RouterSocket
    private let clock: RouterSocket
    private let collect: RouterSocket
    private let serving: Task<Void, Never>

    /// - Parameters:
    ///   - isWelcoming: Whether hellos are welcomed and heartbeats acknowledged.
    ///   - lead: How far its wall clock is said to be ahead of its monotonic clock, nanoseconds; nil says nothing.
    ///   - grandmaster: What that clock is said to follow.
    init(
        _ context: ZeroMQContext, at endpoint: String = "tcp://127.0.0.1:*", isWelcoming: Bool = true,
        lead: Int64? = nil, grandmaster: String = "7acc9b.fffe.1234ab"
    ) async throws {
        let executor = try SocketExecutor(name: "fake")
        let control = try RouterSocket(context: context, executor: executor)
        let clock = try RouterSocket(context: context, executor: executor)
        let collect = try RouterSocket(context: context, executor: executor)
        self.endpoint = try await control.bindWhenFree(to: endpoint)
        let clockPort = Self.port(try await clock.bind(to: "tcp://127.0.0.1:*"))
        let collectPort = Self.port(try await collect.bind(to: "tcp://127.0.0.1:*"))
        (self.control, self.clock, self.collect) = (control, clock, collect)
        await clock.respondInline { [heard] _, received, sendTime in
            guard let probe = try? WireCoding.clock.decode(WireClockProbe.self, from: received.message.parts[0].bytes)
            else { return nil }
            heard.change { $0.probes += 1 }
            var reply = WireClockReply()
            (reply.sequence, reply.t1LocalNs) = (probe.sequence, probe.t1LocalNs)
            (reply.t2RigNs, reply.t3RigNs) = (received.receivedAtNanoseconds, sendTime())
            reply.rigClockID = "rig-1"
            if let lead {
                (reply.discipline.source, reply.discipline.identity) = ("ptp", grandmaster)
                (reply.discipline.rigNs, reply.discipline.realtimeNs) = (reply.t3RigNs, reply.t3RigNs + lead)
            }
            return (try? WireCoding.clock.encode(reply)).map { Message($0) }
        }
        var welcome = WireWelcome()
        (welcome.protocolVersion, welcome.rigClockID) = (ProtocolVersion.current, "rig-1")
        (welcome.clockPort, welcome.collectPort) = (UInt32(clockPort), UInt32(collectPort))
        (welcome.heartbeatIntervalNs, welcome.heartbeatTimeoutNs) = (50_000_000, 30_000_000_000)
        serving = Task { [heard, epoch, welcome] in
            while let (peer, received) = await control.receive() {
                guard
                    let message = try? WireCoding.control.decode(
                        WireAgentMessage.self, from: received.message.parts[0].bytes)
                else { continue }
                heard.change { heard in
                    heard.peer = peer
                    heard.messages.append(message)
                }
                guard isWelcoming else { continue }
                switch message.body {
                case .hello: await Self.send(.welcome(welcome), from: epoch.rawValue, to: message.epoch, peer, control)
                case .heartbeat(let heartbeat):
                    var ack = WireHeartbeatAck()
                    ack.sequence = heartbeat.sequence
                    await Self.send(.heartbeatAck(ack), from: epoch.rawValue, to: message.epoch, peer, control)
                default: break
                }
            }
        }
    }

    private static func port(_ endpoint: String) -> UInt16 {
        endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    private static func send(
        _ body: WireCoordinatorMessage.OneOf_Body, from epoch: UInt64, to agent: UInt64, _ peer: PeerID,
        _ socket: RouterSocket
    ) async {
        var message = WireCoordinatorMessage()
        (message.epoch, message.agentEpoch, message.body) = (epoch, agent, body)
        guard let bytes = try? WireCoding.control.encode(message) else { return }
        _ = await socket.send(Message(bytes), to: peer)
    }

    /// Sends to the agent; with other epochs than the true ones where they are given.
    func send(_ body: WireCoordinatorMessage.OneOf_Body, from: UInt64? = nil, to: UInt64? = nil) async {
        guard let peer = heard.value.peer, let agent = heard.value.messages.last?.epoch else { return }
        await Self.send(body, from: from ?? epoch.rawValue, to: to ?? agent, peer, control)
    }

    func sendGarbage() async {
        guard let peer = heard.value.peer else { return }
        for message in [Message([]), Message([0xFF, 0xFF]), Message([1], [2])] {
            _ = await control.send(message, to: peer)
        }
    }

    /// Returns when the agent has said something that fulfils the condition, with the first such message.
    func message(_ isMeant: @escaping @Sendable (WireAgentMessage) -> Bool) async -> WireAgentMessage? {
        await heard.wait { $0.messages.contains(where: isMeant) }
        return heard.value.messages.first(where: isMeant)
    }

    /// Ends every socket, as a crash does.
    func stop() async {
        serving.cancel()
        await control.close()
        await clock.close()
        await collect.close()
        await serving.value
    }
}
