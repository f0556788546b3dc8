import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("Survives two thousand connections with unread events")
    func undrainedMonitor() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            for _ in 0..<2_000 { _ = try TCPClient(to: endpoint) }
            let (dealer, peer) = try await rig.connected(to: endpoint, of: router)
            #expect(await router.send(Message(text: "alive"), to: peer) == .sent)
            #expect(await dealer.receive()?.texts == ["alive"])
            try await eventually { await router.counters.handshakeFailures.total >= 2_000 }
        }
    }

    @Test("Disconnects a peer that sends junk, and counts a failed handshake")
    func junk() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let stranger = try TCPClient(to: endpoint)
            // Looks like the start of ZeroMQ's greeting, names a mechanism that does not exist.
            stranger.write([0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0])
            stranger.write([UInt8](repeating: 0x41, count: 200))
            stranger.readToEnd()
            try await eventually { await router.counters.handshakeFailures.total == 1 }
            #expect(await router.counters.connects == 0)
        }
    }

    @Test("Replaces a silent connection, and ignores events of the old one")
    func madeAnew() async throws {
        try await TestRig.run { rig in
            let (dealer, router, former) = try await rig.pair()
            try await dealer.reconnect()
            try await eventually { await dealer.counters.connects == 2 }
            _ = await dealer.send(Message(text: "request"))
            let received = try #require(await router.receive())
            #expect(received.message.texts == ["request"] && received.peer != former)
            #expect(await router.send(Message(text: "answer"), to: received.peer) == .sent)
            #expect(await dealer.receive()?.texts == ["answer"])
            await dealer.close()
            await #expect(throws: ZeroMQError.self) { try await dealer.reconnect() }
        }
    }

    @Test("Counts a replaced connection until the new one ends")
    func connectedAfterReconnecting() async throws {
        try await TestRig.run { rig in
            let publisher = try rig.publisher()
            let endpoint = try await publisher.bind(to: "tcp://127.0.0.1:*")
            let subscriber = try rig.subscriber()
            #expect(await !subscriber.isConnected)
            try await subscriber.connect(to: endpoint)
            try await eventually { await subscriber.isConnected }
            try await subscriber.reconnect()
            try await eventually { await subscriber.counters.connects == 2 }
            #expect(await subscriber.isConnected)
            try await subscriber.disconnect(from: endpoint)
            #expect(await !subscriber.isConnected)
            try await subscriber.connect(to: endpoint)
            try await eventually { await subscriber.isConnected }
            await publisher.close()
            try await eventually { await !subscriber.isConnected }
            #expect(await subscriber.counters.connects == 3)
        }
    }

    @Test("Disconnects a peer that stays silent in the handshake")
    func silence() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.handshakeInterval = .milliseconds(100)
            let router = try rig.router(options)
            let stranger = try TCPClient(to: try await router.bind(to: "tcp://127.0.0.1:*"))
            stranger.readToEnd()
            try await eventually { await router.counters.handshakeFailures.noDetail == 1 }
        }
    }

    @Test("Bounds memory and time of peers that only connect")
    func connectionLimit() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.connectionLimit = 3
            options.handshakeInterval = .seconds(60)
            let router = try rig.router(options)
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let (_, peer) = try await rig.connected(to: endpoint, of: router)
            var held = try [TCPClient(to: endpoint), TCPClient(to: endpoint)]
            try await eventually { await router.counters.acceptedConnections == 3 }
            for _ in 0..<20 { held.append(try TCPClient(to: endpoint)) }
            try await eventually {
                let counters = await router.counters
                return counters.refusedConnections == 20 && counters.acceptedConnections == 3
            }
            #expect(await router.send(Message(text: "stays"), to: peer) == .sent)
            guard ZeroMQLibrary.linked.patches.contains("name-connection-of-handshake") else { return }
            let (_, next) = try await rig.connected(to: endpoint, of: router)
            #expect(await router.send(Message(text: "has a place"), to: next) == .sent)
            withExtendedLifetime(held) {}
        }
    }

    @Test("Refuses ZMTP 1.0")
    func oldProtocol() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            for count in 1...3 {
                let stranger = try TCPClient(to: endpoint)
                for frame in ["same", "message"] {
                    stranger.write([UInt8(frame.utf8.count + 1), 0] + Array(frame.utf8))
                }
                stranger.readToEnd()
                try await eventually { await router.counters.acceptedConnections == 0 }
                #expect(await router.counters.connects == 0, "connection \(count)")
            }
            let (_, peer) = try await rig.connected(to: endpoint, of: router)
            #expect(await router.send(Message(text: "in"), to: peer) == .sent)
        }
    }

    @Test("Reports connection events in order")
    func events() async throws {
        try await TestRig.run { rig in
            let (dealer, _, _) = try await rig.pair()
            await dealer.close()
            var kinds: [ConnectionEvent.Kind] = []
            for await event in dealer.connectionEvents { kinds.append(event.kind) }
            kinds.removeAll { $0 == .connectDelayed }
            #expect(kinds == [.connected, .handshakeSucceeded])
        }
    }

    @Test("Reconnects a dealer after its router restarts, and delivers what was queued")
    func reconnect() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.reconnectInterval = .milliseconds(10)
            let router = try rig.router()
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let (dealer, _) = try await rig.connected(to: endpoint, of: router, options)
            await router.close()
            try await eventually { await dealer.counters.disconnects == 1 }
            // libzmq reports the end of a connection before it refuses messages: it loses those that it accepts until then.
            var number = 0
            try await eventually {
                number += 1
                return await dealer.send(Message(text: "\(number)")) == .queued
            }
            let successor = try rig.router()
            try await eventually { (try? await successor.bind(to: endpoint)) != nil }
            #expect(await successor.receive()?.message.texts == ["\(number)"])
        }
    }

    @Test(
        "A failure to bind says what to do",
        arguments: [
            ("tcp://127.0.0.1", "EINVAL"), ("tcp://nowhere0:*", "ENODEV"), ("smoke://signals", "EPROTONOSUPPORT"),
            ("tcp://192.0.2.1:*", "EADDRNOTAVAIL"), ("tcp://127.0.0.1:5\0", "EINVAL"),
        ])
    func bindFailure(endpoint: String, code: String) async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let error = await #expect(throws: ZeroMQError.self) { try await router.bind(to: endpoint) }
            #expect(error?.code == code)
            #expect(error?.endpoint == endpoint)
            #expect(error?.description.contains(endpoint) == true)
        }
    }

    @Test("Reports an address in use to the second router")
    func addressInUse() async throws {
        try await TestRig.run { rig in
            let (first, second) = (try rig.router(), try rig.router())
            let endpoint = try await first.bind(to: "tcp://127.0.0.1:*")
            let error = await #expect(throws: ZeroMQError.self) { try await second.bind(to: endpoint) }
            #expect(error?.code == "EADDRINUSE")
        }
    }
}
