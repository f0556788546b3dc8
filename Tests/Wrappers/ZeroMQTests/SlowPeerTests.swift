import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
struct SlowPeerTests {
    /// Small queues everywhere.
    private var tight: SocketOptions {
        var options = SocketOptions()
        options.sendHighWaterMark = 2
        options.receiveHighWaterMark = 2
        options.receivePrefetch = 0
        options.sendQueueLimit = 5
        return options
    }

    private func message(_ number: Int) -> Message {
        Message(Array("\(number)".utf8), [UInt8](repeating: 7, count: 256 * 1024))
    }

    /// Sends numbered messages until one is refused, and returns how many were taken.
    private func fill(_ router: RouterSocket, _ peer: PeerID) async throws -> Int {
        var taken = 0
        while await router.send(message(taken), to: peer) != .refused(.queueFull) {
            taken += 1
            try Task.checkCancellation()
        }
        return taken
    }

    @Test("Keeps a peer that stops reading from delaying others, and delivers everything later")
    func stoppedPeer() async throws {
        try await TestRig.run { rig in
            let router = try rig.router(tight)
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            let (stopped, stoppedPeer) = try await rig.connected(to: endpoint, of: router, tight)
            let (lively, livelyPeer) = try await rig.connected(to: endpoint, of: router, tight)

            let taken = try await fill(router, stoppedPeer)
            var counters = await router.counters
            #expect(counters.queued > 0)
            #expect(counters.waiting <= 5)
            #expect(counters.waitingBytes < 6 * 257 * 1024)
            #expect(counters.refused == [.queueFull: 1])

            for number in 0..<100 {
                #expect(await router.send(Message(text: "\(number)"), to: livelyPeer) == .sent)
                #expect(await lively.receive()?.texts == ["\(number)"])
            }
            for number in 0..<taken { try #require(await stopped.receive()?.texts.first == "\(number)") }
            counters = await router.counters
            #expect(counters.waiting == 0)
            #expect(counters.waitingBytes == 0)
        }
    }

    @Test("Discards and counts the queue of a peer that has gone")
    func vanishedPeer() async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair(dealer: tight, router: tight)
            _ = try await fill(router, peer)
            let before = await router.counters
            await dealer.close()
            try await eventually { await router.counters.waiting == 0 }
            // libzmq may take some of those that wait before it notices; none may go uncounted.
            let after = await router.counters
            #expect(after.discardedForVanishedPeers + after.sent - before.sent == before.waiting)
            try await eventually {
                await router.send(Message(text: "late"), to: peer) == .refused(.unknownPeer)
            }
        }
    }

    @Test("Makes a peer wait whose messages are not received")
    func backPressure() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair(dealer: tight, router: tight)
            var taken = 0
            while await dealer.send(message(taken)) != .refused(.queueFull) {
                taken += 1
                try Task.checkCancellation()
            }
            #expect(await router.counters.received == 1, "Only the greeting has been taken from libzmq.")
            for number in 0..<taken { try #require(await router.receive()?.message.texts.first == "\(number)") }
        }
    }

    @Test("Stops taking messages from libzmq when the prefetch is full")
    func prefetchIsBounded() async throws {
        try await TestRig.run { rig in
            var options = tight
            options.receivePrefetch = 3
            let (dealer, router, _) = try await rig.pair(dealer: tight, router: options)
            // Twice: what the prefetch takes makes room for more, and the second round finds it full.
            for _ in 0..<2 {
                while await dealer.send(message(0)) != .refused(.queueFull) { try Task.checkCancellation() }
                try await eventually { await router.counters.received >= 4 }
            }
            #expect(await router.counters.received == 4, "The greeting and three ahead.")
        }
    }

    @Test("Counts the messages discarded at closing")
    func discardedAtClose() async throws {
        try await TestRig.run { rig in
            let dealer = try rig.dealer(tight)
            for _ in 0..<5 { #expect(await dealer.send(Message(text: "nobody is connected")) == .queued) }
            #expect(await dealer.send(Message(text: "one more")) == .refused(.queueFull))
            await dealer.close()
            #expect(await dealer.counters.discardedAtClose == 5)
            #expect(await dealer.counters.waiting == 0)
        }
    }
}
