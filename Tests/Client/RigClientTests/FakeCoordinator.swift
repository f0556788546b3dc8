import CaptureModel
import CaptureTestSupport
import RigClient
import RigProtocol
import RigWire
import ZeroMQ

/// A coordinator's client and feed channels, answering as a test says.
final class FakeCoordinator: Sendable {
    typealias Body = WireClientReply.OneOf_Body

    let endpoint: String
    let feedPort: UInt16
    let epoch: Epoch
    /// Every request, in order of arrival.
    let requests: AsyncStream<WireClientRequest.OneOf_Body>
    private let router: RouterSocket
    private let publisher: PublisherSocket
    private let server: Task<Void, Never>

    /// - Parameter answer: The replies to a request; none leaves the client in silence. `status` is answered by itself.
    init(
        context: ZeroMQContext, executor: SocketExecutor, endpoint: String = "tcp://127.0.0.1:*",
        epoch: Epoch = .random(), answer: @escaping @Sendable (WireClientRequest.OneOf_Body) -> [Body]
    ) async throws {
        let router = try RouterSocket(context: context, executor: executor)
        let publisher = try PublisherSocket(context: context, executor: executor)
        self.endpoint = try await router.bindWhenFree(to: endpoint)
        let feed = try await publisher.bind(to: "tcp://127.0.0.1:*")
        let port = feed.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let (requests, continuation) = AsyncStream.makeStream(of: WireClientRequest.OneOf_Body.self)
        server = Task { [nodes, devices] in
            while let (peer, received) = await router.receive() {
                guard
                    let request = try? WireCoding.client.decode(WireClientRequest.self, from: received.parts[0].bytes),
                    let body = request.body
                else { continue }
                continuation.yield(body)
                for answer in Self.answers(to: body, port, nodes.value, devices.value, answer) {
                    var reply = WireClientReply()
                    (reply.requestID, reply.epoch, reply.body) = (request.requestID, epoch.wire, answer)
                    guard let bytes = try? WireCoding.client.encode(reply) else { continue }
                    _ = await router.send(Message(bytes), to: peer)
                }
            }
        }
        (self.router, self.publisher, self.epoch, self.requests) = (router, publisher, epoch, requests)
        feedPort = port
    }

    /// What its status says of nodes.
    let nodes = Observed<[WireNodeStatus]>([])
    /// What a status has if the client asks for devices too; nil as long as it is an older coordinator.
    let devices = Observed<WireDeviceList?>(nil)

    private static func answers(
        to request: WireClientRequest.OneOf_Body, _ feedPort: UInt16, _ nodes: [WireNodeStatus],
        _ devices: WireDeviceList?, _ answer: (WireClientRequest.OneOf_Body) -> [Body]
    ) -> [Body] {
        guard case .getStatus(let get) = request else { return answer(request) }
        var status = WireRigStatus()
        (status.rigClockID, status.feedPort, status.nodes) = ("clock", UInt32(feedPort), nodes)
        if get.withDevices, let devices { status.deviceList = devices }
        return [.status(status)]
    }

    /// What subscribers ask for; for one reader.
    var subscriptions: AsyncStream<SubscriptionChange> { publisher.subscriptions }

    /// Publishes a message on the feed; a subscriber that has not arrived yet misses it.
    func publish(_ message: WireFeedMessage) async throws {
        _ = await publisher.publish(Message(try FeedFrame(message).bytes))
    }

    /// Returns when a client can be heard: what it sends from here on does not go to a coordinator that has stopped.
    /// For one reader.
    func connected() async {
        for await event in router.connectionEvents where event.kind == .handshakeSucceeded { return }
    }

    /// Ends both sockets, as a crash does.
    func stop() async {
        server.cancel()
        await router.close()
        await publisher.close()
    }
}

extension WireFeedMessage {
    static func event(_ event: FeedEvent) -> WireFeedMessage {
        var message = WireFeedMessage()
        message.event = event.wire
        return message
    }

    static func beat(_ epoch: Epoch, _ lastSequence: UInt64) -> WireFeedMessage {
        var message = WireFeedMessage()
        (message.beat.coordinatorEpoch, message.beat.lastSequence) = (epoch.wire, lastSequence)
        return message
    }
}

extension FeedEvent {
    /// An event of node `n` that only its sequence tells from others.
    static func test(_ sequence: UInt64, of epoch: Epoch) throws -> FeedEvent {
        let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        return FeedEvent(
            coordinatorEpoch: epoch, sequence: sequence, node: try NodeName("n"),
            source: NumberedEvent(epoch: epoch, sequence: sequence, event: event))
    }
}

/// A client with a clock of the test's own, and the sockets of both ends.
struct Bench {
    let context: ZeroMQContext
    let executor: SocketExecutor
    let time = ManualTimeSource()
    let client: RigClient

    init() throws {
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "test")
        client = try RigClient(context: context, executor: executor, time: time)
    }

    func coordinator(
        at endpoint: String = "tcp://127.0.0.1:*", epoch: Epoch = .random(),
        answer: @escaping @Sendable (WireClientRequest.OneOf_Body) -> [FakeCoordinator.Body]
    ) async throws -> FakeCoordinator {
        try await FakeCoordinator(
            context: context, executor: executor, endpoint: endpoint, epoch: epoch, answer: answer)
    }
}

/// The code of the error that `body` throws.
func failure(_ body: () async throws -> Void) async -> RigClientError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? RigClientError)?.code
    }
}
