import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(1)))
struct SizeLimitTests {
    private var small: SocketOptions {
        var options = SocketOptions()
        options.maximumMessageSize = 1_000
        options.reconnectInterval = .milliseconds(1)
        return options
    }

    @Test("A peer that sends an oversized message is disconnected, and can be heard again after it reconnects")
    func oversizedFromPeer() async throws {
        try await TestRig.run { rig in
            var generous = small
            generous.maximumMessageSize = 2_000
            let (dealer, router, peer) = try await rig.pair(dealer: generous, router: small)
            _ = await dealer.send(Message([UInt8](repeating: 1, count: 1_001)))
            // What is sent before the connection is made anew may go into the one that is being closed.
            try await eventually {
                let counters = await dealer.counters
                return counters.disconnects == 1 && counters.connects == 2
            }
            _ = await dealer.send(Message(text: "after"))
            let next = try #require(await router.receive())
            #expect(next.message.texts == ["after"])
            #expect(next.peer != peer)
        }
    }

    @Test("An oversized message is refused here instead of breaking the connection there")
    func oversizedFromHere() async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair(dealer: small, router: small)
            let large = Message([1], [UInt8](repeating: 1, count: 1_001))
            #expect(await dealer.send(large) == .refused(.tooLarge))
            #expect(await dealer.send { _ in large } == .refused(.tooLarge))
            #expect(await router.send(large, to: peer) == .refused(.tooLarge))
            #expect(await dealer.counters.refused == [.tooLarge: 2])
        }
    }

    @Test("A message with very many parts is dropped and counted, and the next one arrives")
    func tooManyParts() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.maximumPartCount = 4
            let (dealer, router, _) = try await rig.pair(router: options)
            _ = await dealer.send(Message([MessagePart](repeating: MessagePart([1]), count: 1_000)))
            _ = await dealer.send(Message(text: "after"))
            #expect(await router.receive()?.message.texts == ["after"])
            #expect(await router.counters.droppedForPartCount == 1)
        }
    }
}
