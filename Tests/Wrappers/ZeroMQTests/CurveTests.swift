import CZeroMQ
import Synchronization
import Testing

@testable import ZeroMQ

@Suite("CURVE keys")
struct CurveKeyTests {
    @Test("A secret key has one public key, and the text of each is read again as the same")
    func roundTrip() throws {
        let keys = try CurveKeyPair.generate()
        let again = try CurveKeyPair(secretKey: try #require(CurveSecretKey(z85: keys.secretKey.z85)))
        #expect(again.publicKey == keys.publicKey)
        #expect(CurvePublicKey(keys.publicKey.description) == keys.publicKey)
        #expect(try CurveKeyPair.generate().publicKey != keys.publicKey)
    }

    @Test("The key of RFC 26's test vector has the public key that the RFC states")
    func vector() throws {
        // zmq_curve_public(3) of libzmq's manual.
        let secret = try #require(CurveSecretKey(z85: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"))
        #expect(try CurveKeyPair(secretKey: secret).publicKey.description == "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7")
    }

    @Test(
        "Refuses text that is not a key",
        arguments: [
            "", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf77777",
            "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]y\"7", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yé",
            "#####rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]y",
        ])
    func mistyped(text: String) {
        #expect(CurvePublicKey(text) == nil)
        #expect(CurveSecretKey(z85: text) == nil)
    }

    @Test("A secret key is not in what a log or a failed test prints of it")
    func secrecy() throws {
        let keys = try CurveKeyPair.generate()
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", "\(keys.secretKey)", String(reflecting: keys.secretKey), dumped] {
            #expect(!text.contains(keys.secretKey.z85) && !text.contains("\(keys.secretKey.bytes)"))
        }
    }
}

@Suite("CURVE connections", .timeLimit(.minutes(10)))
struct CurveTests {
    private let server: CurveKeyPair
    private let client: CurveKeyPair

    init() throws {
        server = try .generate()
        client = try .generate()
    }

    private func serving(_ domain: String = "control") -> SocketOptions {
        var options = SocketOptions()
        options.security = .server(server, domain: domain)
        return options
    }

    private func asking(_ keys: CurveKeyPair, of key: CurvePublicKey? = nil) -> SocketOptions {
        var options = SocketOptions()
        options.security = .client(keys, server: key ?? server.publicKey)
        options.reconnectInterval = .milliseconds(20)
        options.reconnectIntervalMax = .milliseconds(20)
        return options
    }

    @Test("Each message carries the name that the authenticator gave the connection's key")
    func userID() async throws {
        try await TestRig.run { rig in
            let seen = Mutex<[AuthenticationRequest]>([])
            let authenticator = try Authenticator(for: rig.context) { request in
                seen.withLock { $0.append(request) }
                return .admit(userID: "node-1")
            }
            let (dealer, router, peer) = try await rig.pair(dealer: asking(client), router: serving())
            _ = await dealer.send(Message(text: "in the name of node-2"))
            #expect(await router.receive()?.message.userID == "node-1")
            _ = await router.send(Message(text: "answer"), to: peer)
            let answer = await dealer.receive()
            #expect(answer?.texts == ["answer"] && answer?.userID == nil)
            #expect(
                seen.withLock { $0 }
                    == [AuthenticationRequest(domain: "control", address: "127.0.0.1", key: client.publicKey)])
            withExtendedLifetime(authenticator) {}
        }
    }

    @Test("A peer without keys cannot give itself a name")
    func forged() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let stranger = try TCPClient(to: try await router.bind(to: "tcp://127.0.0.1:*"))
            func property(_ name: String, _ value: String) -> [UInt8] {
                [UInt8(name.utf8.count)] + name.utf8 + [0, 0, 0, UInt8(value.utf8.count)] + value.utf8
            }
            let ready =
                [5] + Array("READY".utf8) + property("Socket-Type", "DEALER") + property("Identity", "")
                + property("User-Id", "admin")
            stranger.write(
                [0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48))
            stranger.write([4, UInt8(ready.count)] + ready)
            stranger.read(until: Array("READY".utf8))
            stranger.write([0, 2] + Array("hi".utf8))
            let received = await router.receive()?.message
            #expect(received?.texts == ["hi"] && received?.userID == nil)
        }
    }

    @Test("A key that the authenticator refuses delivers nothing, and its socket is told")
    func refused() async throws {
        try await TestRig.run { rig in
            let known = client.publicKey
            _ = try Authenticator(for: rig.context) { $0.key == known ? .admit(userID: "known") : .refuse }
            let router = try rig.router(serving())
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let stranger = try rig.dealer(asking(try .generate()))
            try await stranger.connect(to: endpoint)
            _ = await stranger.send(Message(text: "let me in"))
            try await eventually { await stranger.counters.handshakeFailures.authentication > 0 }
            let friend = try rig.dealer(asking(client))
            try await friend.connect(to: endpoint)
            _ = await friend.send(Message(text: "hello"))
            #expect(await router.receive()?.message.texts == ["hello"])
        }
    }

    @Test("Without an authenticator nobody is let in")
    func missing() async throws {
        try await TestRig.run { rig in
            let router = try rig.router(serving())
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let dealer = try rig.dealer(asking(client))
            try await dealer.connect(to: endpoint)
            try await eventually { await dealer.counters.connectRetries + dealer.counters.handshakeFailures.total > 3 }
            #expect(await dealer.counters.connects == 0)
            #expect(await router.counters.connects == 0)
        }
    }

    @Test("A peer without keys, or with another server's key, is not connected to")
    func strangers() async throws {
        try await TestRig.run { rig in
            _ = try Authenticator(for: rig.context) { _ in .admit(userID: "anyone") }
            let router = try rig.router(serving())
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            var open = SocketOptions()
            open.reconnectInterval = .milliseconds(20)
            for options in [open, asking(client, of: try CurveKeyPair.generate().publicKey)] {
                let failures = await router.counters.handshakeFailures.total
                let dealer = try rig.dealer(options)
                try await dealer.connect(to: endpoint)
                _ = await dealer.send(Message(text: "hello"))
                try await eventually { await router.counters.handshakeFailures.total > failures }
                #expect(await dealer.counters.connects == 0)
                await dealer.close()
            }
            #expect(await router.counters.received == 0)
        }
    }

    @Test("The authenticator answers while every executor of the process is busy, and ends with its context")
    func independence() async throws {
        try await TestRig.run { rig in
            _ = try Authenticator(for: rig.context) { _ in .admit(userID: "anyone") }
            #expect(throws: ZeroMQError.self) { try Authenticator(for: rig.context) { _ in .refuse } }
            let (_, router, _) = try await rig.pair(dealer: asking(client), router: serving())
            rig.context.shutdown()
            #expect(await router.receive() == nil)
        }
    }

    @Test("After the endpoint is bound again a revoked key stays out, and the others are back")
    func revoked() async throws {
        try await TestRig.run { rig in
            let admitted = Mutex<[CurvePublicKey: String]>([:])
            _ = try Authenticator(for: rig.context) { request in
                admitted.withLock { $0[request.key] }.map { .admit(userID: $0) } ?? .refuse
            }
            let revoked = try CurveKeyPair.generate()
            admitted.withLock { $0 = [client.publicKey: "friend", revoked.publicKey: "revoked"] }
            let router = try rig.router(serving())
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let (friend, _) = try await rig.connected(to: endpoint, of: router, asking(client))
            let (former, _) = try await rig.connected(to: endpoint, of: router, asking(revoked))

            _ = admitted.withLock { $0.removeValue(forKey: revoked.publicKey) }
            try await router.rebind(endpoint)
            try await eventually { await former.counters.handshakeFailures.authentication > 0 }
            try await eventually { await friend.counters.connects == 2 }
            _ = await former.send(Message(text: "still here"))
            _ = await friend.send(Message(text: "back"))
            let received = await router.receive()?.message
            #expect(received?.texts == ["back"] && received?.userID == "friend")
            #expect(await router.counters.received == 3)

            // A key that is admitted again needs a new attempt: libzmq makes none after a refusal.
            admitted.withLock { $0[revoked.publicKey] = "again" }
            try await former.reconnect()
            try await eventually { await former.counters.connects == 2 }
        }
    }

    @Test("A message above the limit is dropped and counted, although libzmq's limit admits the handshake")
    func sizes() async throws {
        try await TestRig.run { rig in
            _ = try Authenticator(for: rig.context) { _ in .admit(userID: "anyone") }
            var options = serving()
            options.maximumMessageSize = 100
            let (dealer, router, _) = try await rig.pair(dealer: asking(client), router: options)
            for count in [101, 100] { _ = await dealer.send(Message([UInt8](repeating: 7, count: count))) }
            #expect(await router.receive()?.message.parts.map(\.count) == [100])
            #expect(await router.counters.droppedForSize == 1)
        }
    }

    @Test("A publisher admits known keys, and ends a subscriber that sends more than a topic")
    func publisher() async throws {
        try await TestRig.run { rig in
            _ = try Authenticator(for: rig.context) { _ in .admit(userID: "anyone") }
            let publisher = try rig.publisher(serving("feed"))
            let endpoint = try await publisher.bind(to: "tcp://127.0.0.1:*")
            let subscriber = try rig.subscriber(asking(client))
            try await subscriber.subscribe("topic")
            try await subscriber.connect(to: endpoint)
            try await eventually { await publisher.hasSubscribers("topic") }
            _ = await publisher.publish(Message(text: "topic and more"))
            #expect(await subscriber.receive()?.texts == ["topic and more"])

            // A socket of this library sends no topic of that length.
            let greedy = try SocketHandle(context: rig.context, type: ZMQ_SUB)
            try SocketSecurity.client(client, server: server.publicKey).apply(to: greedy)
            try greedy.set(ZMQ_SUBSCRIBE, [UInt8](repeating: 7, count: 200), operation: "subscribe")
            try greedy.connect(to: endpoint)
            try await eventually { await publisher.counters.disconnects > 0 }
            #expect(await publisher.counters.unexpectedMessages > 0)
            #expect(await publisher.subscribedTopics.map { String(decoding: $0, as: UTF8.self) } == ["topic"])
            greedy.close()
        }
    }

    @Test("A server without a domain cannot be made, since libzmq would let everybody in")
    func domain() async throws {
        try await TestRig.run { rig in
            #expect(throws: ZeroMQError.self) { try rig.router(serving("")) }
        }
    }

    @Test("What is not a request for CURVE is refused, whatever the decision would be")
    func malformed() {
        func status(_ texts: [[UInt8]]) -> String {
            let reply = AuthenticationRequest.reply(to: texts.map { MessagePart($0) }) { _ in .admit(userID: "x") }
            return reply.count == 6 ? String(decoding: reply[2], as: UTF8.self) : "\(reply.count) parts"
        }
        func request(_ mechanism: String, _ key: [UInt8], version: String = "1.0") -> [[UInt8]] {
            [Array(version.utf8), [1], Array("d".utf8), Array("127.0.0.1".utf8), [], Array(mechanism.utf8), key]
        }
        let key = [UInt8](repeating: 7, count: 32)
        #expect(status(request("CURVE", key)) == "200")
        #expect(status(request("CURVE", Array(key.dropLast()))) == "400")
        #expect(status(request("NULL", key)) == "400")
        #expect(status(request("CURVE", key, version: "2.0")) == "400")
        #expect(status(Array(request("CURVE", key).dropLast())) == "400")
        #expect(status(request("CURVE", key) + [key]) == "400")
        #expect(status([]) == "400")
    }
}
