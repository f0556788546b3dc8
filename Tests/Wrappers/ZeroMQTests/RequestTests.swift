import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(1)))
struct RequestTests {
    @Test(
        "A request reaches the router and its answer comes back", arguments: ["tcp://127.0.0.1:*", "inproc://requests"])
    func requestAndAnswer(endpoint: String) async throws {
        try await TestRig.run { rig in
            let (router, dealer) = (try rig.router(), try rig.dealer())
            let address = try await router.bind(to: endpoint)
            try await dealer.connect(to: address)

            _ = await dealer.send(Message(Array("a".utf8), [], Array("c".utf8)))
            let request = try #require(await router.receive())
            #expect(request.message.texts == ["a", "", "c"])
            #expect(await router.send(Message(text: "answer"), to: request.peer) == .sent)
            #expect(await dealer.receive()?.texts == ["answer"])
        }
    }

    @Test("Ten thousand messages arrive once each and in order, though the queues overflow into each other")
    func order() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.sendHighWaterMark = 10
            options.receiveHighWaterMark = 10
            options.sendQueueLimit = 10_000
            options.sendQueueByteLimit = 64 * 1024 * 1024
            let padding = [UInt8](repeating: 0, count: 2_000)
            let (dealer, router, peer) = try await rig.pair(dealer: options, router: options)

            for number in 0..<10_000 {
                try #require(await dealer.send(Message(Array("\(number)".utf8), padding)) != .refused(.queueFull))
            }
            for number in 0..<10_000 {
                let message = try #require(await router.receive()?.message)
                try #require(message.texts.first == "\(number)")
                try #require(await router.send(message.message, to: peer) != .refused(.queueFull))
            }
            for number in 0..<10_000 { try #require(await dealer.receive()?.texts.first == "\(number)") }
            #expect(await dealer.counters.queued > 1)
            #expect(await router.counters.queued > 1)
            #expect(await dealer.counters.waiting == 0)
            #expect(await router.counters.sent == 10_000)
        }
    }

    @Test("Parts of every size arrive unchanged", arguments: [0, 1, 33, 34, 8_191, 8_192, 65_535, 65_536, 3_000_000])
    func sizes(count: Int) async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair()
            let bytes = Array(repeatElement(0...UInt8(250), count: count / 251 + 1).joined().prefix(count))
            _ = await dealer.send(Message(bytes))
            let received = try #require(await router.receive()?.message)
            #expect(received.parts.map(\.bytes) == [bytes])
            // Forwarding shares the received memory.
            _ = await router.send(received.message, to: peer)
            #expect(await dealer.receive()?.parts.first?.bytes == bytes)
        }
    }

    @Test("A message without parts arrives as one empty part")
    func noParts() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            _ = await dealer.send(Message([]))
            #expect(await router.receive()?.message.parts.map(\.count) == [0])
        }
    }
}
