import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
struct ClosingTests {
    enum End: CaseIterable { case socket, executor, context }

    @Test(
        "Whoever waits for a message is woken when the socket, its executor or its context ends",
        arguments: End.allCases)
    func endWakesReceivers(end: End) async throws {
        try await TestRig.run { rig in
            let dealer = try rig.dealer()
            async let first = dealer.receive()
            async let second = dealer.receive()
            switch end {
            case .socket: await dealer.close()
            case .executor: rig.near.stop()
            case .context: rig.context.shutdown()
            }
            #expect(await first?.texts == nil)
            #expect(await second?.texts == nil)
            try await eventually { await dealer.send(Message(text: "late")) == .refused(.closed) }
            #expect(await dealer.receive()?.texts == nil)
            for await _ in dealer.connectionEvents {}
        }
    }

    @Test("Refuses to make a socket on an executor or context that has ended")
    func makeTooLate() async throws {
        try await TestRig.run { rig in
            rig.near.stop()
            let stopped = #expect(throws: ZeroMQError.self) { try rig.dealer() }
            #expect(stopped?.code == "ECANCELED")
            rig.context.shutdown()
            let ended = #expect(throws: ZeroMQError.self) { try rig.router() }
            #expect(ended?.code == "ETERM")
        }
    }

    @Test("Ends the wait of a cancelled task at once, and loses no message")
    func cancellation() async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair()
            for number in 0..<200 {
                let task = Task { await dealer.receive() }
                // Every other time the task gets the chance to wait before it is cancelled.
                if number.isMultiple(of: 2) { _ = await dealer.counters }
                task.cancel()
                #expect(await task.value?.texts == nil)
            }
            _ = await router.send(Message(text: "kept"), to: peer)
            #expect(await dealer.receive()?.texts == ["kept"])
        }
    }

    @Test("Refuses to send to an unknown peer")
    func unknownPeer() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let stranger = PeerID(bytes: [0, 1, 2, 3, 4])
            #expect(await router.send(Message(text: "x"), to: stranger) == .refused(.unknownPeer))
            #expect(await router.send({ _ in Message(text: "x") }, to: stranger) == .refused(.unknownPeer))
            #expect(await router.counters.refused == [.unknownPeer: 2])
        }
    }

    @Test("Closes the socket with its last reference")
    func lastReference() async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let endpoint = try await router.bind(to: "tcp://127.0.0.1:*")
            do {
                let dealer = try DealerSocket(context: rig.context, executor: rig.near)
                try await dealer.connect(to: endpoint)
                _ = await dealer.send(Message(text: "hello"))
                _ = await router.receive()
                #expect(await dealer.counters.connects == 1)
            }
            try await eventually { await router.counters.disconnects == 1 }
        }
    }
}
