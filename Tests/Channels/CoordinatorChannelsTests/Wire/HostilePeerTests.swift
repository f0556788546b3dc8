import CaptureModel
import CaptureTestSupport
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite(.timeLimit(.minutes(10))) struct HostilePeerTests {
    /// Messages that no channel knows what to do with.
    private func garbage(_ seed: UInt64) -> [Message] {
        var generator = SeededGenerator(seed: seed)
        var messages = [
            Message([]), Message([]), Message([1], [2], [3]), Message([UInt8](repeating: 0xFF, count: 200)),
        ]
        for count in [1, 2, 16, 200, 60_000] {
            messages.append(Message((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
        }
        return messages
    }

    @Test("Serves other peers while one sends garbage on every channel")
    func garbageEverywhere() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        guard case .welcome? = try await agent.join().body else {
            Issue.record("not welcome")
            return
        }
        let endpoints = [bench.control, bench.clock, bench.collect, bench.client]
        for (index, endpoint) in endpoints.enumerated() {
            let stranger = try await bench.dealer(endpoint)
            for message in garbage(UInt64(index)) { _ = await stranger.send(message) }
            #expect(try await agent.beats(UInt64(index) + 1))
        }
        let client = try await bench.dealer(bench.client)
        var dropped: [String: UInt64] = [:]
        // The garbage of the other channels is on its way still.
        while ["control", "collect", "client"].contains(where: { dropped["\($0).malformed", default: 0] < 4 }) {
            dropped = try #require(try await bench.status(client)).droppedMessages
        }
        #expect(try await agent.beats(99))
        await bench.end()
    }

    @Test("Counts a subscriber that is disconnected for too many topics")
    func refusedConnections() async throws {
        let bench = try await WireBench()
        let client = try await bench.dealer(bench.client)
        #expect(try await bench.status(client)?.refusedConnections == [:])
        let greedy = try SubscriberSocket(context: bench.context, executor: bench.executor)
        for number in 1...257 { try await greedy.subscribe("greedy/\(number)") }
        try await greedy.connect(to: bench.coordinator.endpoints.feed)
        var refused: [String: UInt64] = [:]
        while refused.isEmpty { refused = try #require(try await bench.status(client)).refusedConnections }
        #expect(Set(refused.keys) == ["feed.topicLimit"])
        await greedy.close()
        await bench.end()
    }

    @Test("Accepts nodes while a peer uses thousands of names")
    func manyNames() async throws {
        let bench = try await WireBench()
        let stranger = try await FakeAgent(bench, node: "rogue")
        for hundred in 0...Roster.nodeLimit / 100 {
            for number in 0..<100 {
                try await stranger.send(.heartbeat(WireHeartbeat())) { $0.node = "rogue-\(hundred)-\(number)" }
            }
            // Each is told to say hello; more is sent when that has come.
            for _ in 0..<100 { _ = try await stranger.receive() }
        }
        var agent = try await FakeAgent(bench, node: "north")
        guard case .welcome? = try await agent.join().body else {
            Issue.record("not welcome")
            return
        }
        #expect(try await agent.beats(1))
        await bench.end()
    }

    @Test("Refuses a message cut off at any byte")
    func truncated() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        var message = WireAgentMessage()
        message.node = "south"
        message.epoch = 5
        message.hello = try FakeAgent.hello("south")
        let bytes = try WireCoding.control.encode(message)
        let stranger = try await bench.dealer(bench.control)
        for count in 0..<bytes.count { _ = await stranger.send(Message(Array(bytes.prefix(count)))) }
        _ = try await agent.join()
        #expect(try await agent.beats(1))
        let client = try await bench.dealer(bench.client)
        _ = try await bench.drops("control.malformed", once: UInt64(bytes.count) / 2, client)
        #expect(try await bench.status(client)?.nodes.map(\.node) == ["north"])
        await bench.end()
    }

    @Test("Refuses messages larger than their channel allows")
    func oversized() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let limits = [
            (bench.control, WireCoding.control.maximumByteCount), (bench.clock, WireCoding.clock.maximumByteCount),
            (bench.collect, WireCoding.maximumChunkByteCount), (bench.client, WireCoding.client.maximumByteCount),
        ]
        for (index, (endpoint, limit)) in limits.enumerated() {
            let stranger = try await bench.dealer(endpoint)
            _ = await stranger.send(Message([UInt8](repeating: 8, count: limit + 1)))
            for await event in stranger.connectionEvents where event.kind == .disconnected { break }
            #expect(try await agent.beats(UInt64(index) + 1))
        }
        await bench.end()
    }

    @Test("Asks a peer without a hello for one, and ignores its requests")
    func withoutHello() async throws {
        let bench = try await WireBench()
        let agent = try await FakeAgent(bench, node: "north")
        try await agent.send(.heartbeat(WireHeartbeat()))
        guard case .helloRequired? = try await agent.receive().body else {
            Issue.record("not asked for a hello")
            return
        }
        let client = try await bench.dealer(bench.client)
        #expect(try await bench.drops("control.unknownPeer", once: 1, client) == 1)
        #expect(try await bench.status(client)?.nodes.isEmpty == true)
        await bench.end()
    }

    @Test("Ignores messages for earlier epochs of coordinator and agents")
    func oldEpochs() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        var heartbeat = WireHeartbeat()
        heartbeat.sequence = 666
        try await agent.send(.heartbeat(heartbeat)) { $0.coordinatorEpoch &+= 1 }
        #expect(try await agent.beats(1), "the one for the earlier life is not acknowledged")
        try await agent.send(.heartbeat(heartbeat)) { $0.epoch &+= 1 }
        guard case .helloRequired? = try await agent.receive().body else {
            Issue.record("another life spoke on this connection")
            return
        }
        let client = try await bench.dealer(bench.client)
        let dropped = try #require(try await bench.status(client)).droppedMessages
        #expect(dropped["control.oldEpoch"] == 1)
        #expect(dropped["control.unknownPeer"] == 1)
        await bench.end()
    }

    @Test("Counts messages of unknown kinds, and keeps the connection")
    func unknownBody() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        try await agent.send(nil)
        #expect(try await agent.beats(1))
        let client = try await bench.dealer(bench.client)
        #expect(try await bench.drops("control.unknown", once: 1, client) == 1)
        var request = WireClientRequest()
        request.requestID = 7
        let reply = try await bench.ask(client, request)
        #expect(reply.requestID == 7)
        guard case .failure(let failure)? = reply.body else {
            Issue.record("a request of no kind is answered otherwise than by a failure")
            return
        }
        #expect(failure.problem.code == RigProblem.Code.protocolViolation.rawValue)
        await bench.end()
    }

    @Test("Keeps the first of two nodes with one name")
    func clonedNode() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let clone = try await FakeAgent(bench, node: "north")
        try await clone.send(.hello(try FakeAgent.hello("north", boot: "another")))
        guard case .refused(let refused)? = try await clone.receive().body else {
            Issue.record("the clone is welcome")
            return
        }
        #expect(refused.problem.message.contains("north"))
        #expect(try await agent.beats(1))
        await bench.end()
    }

    @Test("Answers a hello with hostile fields with a refusal")
    func hostileHello() async throws {
        let bench = try await WireBench()
        let changes: [@Sendable (inout WireHello) -> Void] = [
            { $0.protocolVersion += 1 }, { $0.bootID = "" }, { $0.bootID = "a b" },
            { $0.devices[0].device.id.node = "south" }, { $0.devices[0].condition.state = "flying" },
            { $0.devices = Array(repeating: $0.devices[0], count: WireLimits.devicesPerNode + 1) },
        ]
        let agent = try await FakeAgent(bench, node: "north")
        for (index, change) in changes.enumerated() {
            var hello = try FakeAgent.hello("north")
            change(&hello)
            try await agent.send(.hello(hello))
            guard case .refused? = try await agent.receive().body else {
                Issue.record("case \(index) is not refused")
                continue
            }
        }
        let client = try await bench.dealer(bench.client)
        #expect(try await bench.status(client)?.nodes.isEmpty == true)
        await bench.end()
    }

    @Test("Sends to a node only over the connection of its present name")
    func twoNames() async throws {
        let bench = try await WireBench()
        var joining = try await FakeAgent(bench, node: "north", epoch: 5)
        _ = try await joining.join()
        let first = joining
        try await first.send(.hello(try FakeAgent.hello("south"))) { $0.node = "south" }
        guard case .welcome? = try await first.receive().body else {
            Issue.record("not welcome")
            return
        }
        let client = try await bench.dealer(bench.client)
        var request = WireClientRequest()
        request.requestID = 3
        request.trigger =
            TriggerRequest(
                shot: Samples.shot(), request: ShotRequest(selection: Selection(nodes: [try NodeName("north")])),
                timeout: .milliseconds(1)
            ).wire
        var reply = try await bench.ask(client, request)
        while case .progress? = reply.body {
            guard let received = await client.receive() else { break }
            reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
        }
        try await first.send(.heartbeat(WireHeartbeat())) { message in
            message.node = "south"
            message.coordinatorEpoch = first.coordinatorEpoch
        }
        let answer = try await first.receive()
        guard case .heartbeatAck? = answer.body else {
            Issue.record("sent \(String(describing: answer.body)), which is for 'north'")
            return
        }
        await bench.end()
    }
}
