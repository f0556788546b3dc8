import CaptureModel
import ChannelSecurity
import PosixSupport
import RigAccess
import RigSecurity
import SystemClock
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct ConnectionGateTests {
    private let context: ZeroMQContext
    private let executor: SocketExecutor
    private let server: CurveKeyPair
    private let node: CurveKeyPair
    private let keys: Locked<AccessSnapshot>
    private let refusals = Locked<[RefusedConnection]>([])

    init() throws {
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "zmq-test")
        server = try .generate()
        node = try .generate()
        let key = try #require(PublicKey(node.publicKey))
        let holder = KeyHolder(name: try KeyName("left-arm"), role: .node, key: key)
        keys = Locked(AccessSnapshot(revision: 1, holders: [holder]))
    }

    private func gate() throws -> ConnectionGate {
        try ConnectionGate(of: context) { [keys] in
            keys.withLock(\.self)
        } refused: { [refusals] refusal in
            refusals.withLock { $0.append(refusal) }
        }
    }

    private func router(_ domain: AccessDomain) throws -> RouterSocket {
        var options = SocketOptions()
        options.security = .channel(domain, server)
        return try RouterSocket(context: context, executor: executor, options: options)
    }

    private func dealer(_ pair: CurveKeyPair, to endpoint: String) async throws -> DealerSocket {
        var options = SocketOptions()
        options.security = .client(pair, server: server.publicKey)
        let dealer = try DealerSocket(context: context, executor: executor, options: options)
        try await dealer.connect(to: endpoint)
        return dealer
    }

    @Test func `A message tells the key and the address of its connection`() async throws {
        let gate = try gate()
        let control = try router(.control)
        let dealer = try await dealer(node, to: try await control.bind(to: "tcp://127.0.0.1:*"))
        _ = await dealer.send(Message([MessagePart(Array("hello".utf8))]))
        let (_, message) = try #require(await control.receive())
        let identity = try #require(PeerIdentity(of: message))
        #expect(identity.key == PublicKey(node.publicKey))
        #expect(identity.address == IPAddress("127.0.0.1"))
        withExtendedLifetime(gate) {}
    }

    @Test func `The join socket admits every key, and names it`() async throws {
        let gate = try gate()
        let join = try router(.join)
        let stranger = try CurveKeyPair.generate()
        let dealer = try await dealer(stranger, to: try await join.bind(to: "tcp://127.0.0.1:*"))
        _ = await dealer.send(Message([MessagePart(Array("hello".utf8))]))
        let (_, message) = try #require(await join.receive())
        #expect(PeerIdentity(of: message)?.key == PublicKey(stranger.publicKey))
        withExtendedLifetime(gate) {}
    }

    @Test(arguments: [AccessDomain.clock, .client])
    func `A refusal is told with its address, channel and reason`(domain: AccessDomain) async throws {
        let gate = try gate()
        let router = try router(domain)
        let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
        let pair = domain == .client ? node : try CurveKeyPair.generate()
        let dealer = try await dealer(pair, to: endpoint)
        for await event in dealer.connectionEvents {
            if case .authenticationFailed = event.kind { break }
            if event.kind == .handshakeSucceeded {
                Issue.record("the key is admitted")
                break
            }
        }
        let refusal = try #require(refusals.withLock(\.first))
        #expect(refusal.address == "127.0.0.1" && refusal.domain == domain.rawValue)
        #expect(refusal.reason == (domain == .client ? .notPermitted : .unknown))
        withExtendedLifetime(gate) {}
    }

    @Test func `The test of a daemon's own sockets passes where strangers are refused`() async throws {
        let gate = try gate()
        var endpoints: [AccessDomain: String] = [:]
        var routers: [RouterSocket] = []
        for domain in [AccessDomain.control, .clock, .collect, .client] {
            let router = try router(domain)
            endpoints[domain] = try await router.bind(to: "tcp://127.0.0.1:*")
            routers.append(router)
        }
        var publishers: [PublisherSocket] = []
        for domain in [AccessDomain.feed, .frames] {
            var options = SocketOptions()
            options.security = .channel(domain, server)
            let publisher = try PublisherSocket(context: context, executor: executor, options: options)
            endpoints[domain] = try await publisher.bind(to: "tcp://127.0.0.1:*")
            publishers.append(publisher)
        }
        try await GateTest.refusesStrangers(
            at: endpoints, key: server.publicKey, context: context, clock: SystemTimeSource())
        #expect(refusals.withLock(\.count) == endpoints.count)
        withExtendedLifetime((gate, routers, publishers)) {}
    }

    @Test func `The test of a daemon's own sockets fails where one admits strangers`() async throws {
        let gate = try gate()
        let (closed, open) = (try router(.control), try router(.join))
        let endpoints: [AccessDomain: String] = [
            .control: try await closed.bind(to: "tcp://127.0.0.1:*"),
            .client: try await open.bind(to: "tcp://127.0.0.1:*"),
        ]
        let failure = await #expect(throws: GateFailure.self) {
            try await GateTest.refusesStrangers(
                at: endpoints, key: server.publicKey, context: context, clock: SystemTimeSource())
        }
        #expect(failure?.code == .admitsStrangers && failure?.channel == "client")
        withExtendedLifetime((gate, closed, open)) {}
    }

    @Test(arguments: ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "a b c"])
    func `A name that the gate did not give is nobody`(userID: String) {
        let message = ReceivedMessage(message: Message([]), receivedAtNanoseconds: 0, userID: userID)
        #expect(PeerIdentity(of: message) == nil)
    }
}
