import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct DeviceRequestTests {
    private func request(_ device: String, timeout: Int64 = 0) throws -> WireClientRequest {
        var request = WireClientRequest()
        request.requestID = 7
        request.deviceRequest.device = try DeviceID(device).wire
        request.deviceRequest.timeoutNs = timeout
        request.deviceRequest.stopSession = .init()
        return request
    }

    @Test("Relays a client's request to its node, and the answer to that client")
    func thereAndBack() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        async let reply = bench.ask(client, try request("north/cam"))
        let order = try await agent.deviceOrder()
        #expect(try DeviceID(wire: order.request.device) == DeviceID("north/cam"))
        #expect(order.request.command == .stopSession(.init()))
        var answer = try self.answer(order, .stopped)
        answer.reply.session.changes = ["told"]
        // An answer for an earlier life of the coordinator is none.
        try await agent.send(.deviceAnswer(answer)) { $0.coordinatorEpoch = Epoch.random().rawValue }
        answer.reply.session.changes = ["true"]
        try await agent.send(.deviceAnswer(answer))
        let told = try await reply
        #expect(told.requestID == 7)
        #expect(told.deviceReply.session.changes == ["true"])
        await bench.end()
    }

    /// An answer in which the node's camera stands so.
    private func answer(_ order: WireDeviceOrder, _ state: DeviceCondition.State) throws -> WireDeviceAnswer {
        let status = try Samples.status("north/cam", state: state)
        var answer = WireDeviceAnswer()
        answer.requestID = order.requestID
        answer.reply.session.device = status.device.id.wire
        answer.reply.session.condition = status.condition.wire
        answer.devices = [status.wire]
        return answer
    }

    private func states(_ bench: WireBench, _ client: DealerSocket) async throws -> [String] {
        var request = WireClientRequest()
        request.listDevices = .init()
        return try await bench.ask(client, request).deviceList.devices.map(\.condition.state)
    }

    @Test("Updates the roster before it answers the client")
    func rosterFollows() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        #expect(try await states(bench, client) == ["running"])
        async let reply = bench.ask(client, try request("north/cam"))
        let order = try await agent.deviceOrder()
        try await agent.send(.deviceAnswer(try answer(order, .stopped)))
        #expect(try await reply.deviceReply.session.condition.state == "stopped")
        #expect(try await states(bench, client) == ["stopped"])
        // A refusal tells how the devices stand, too.
        async let refusal = bench.ask(client, try request("north/cam"))
        var refused = try answer(try await agent.deviceOrder(after: order.requestID), .failed)
        refused.problem = RigProblem(.notRunning, "it does not start").wire
        try await agent.send(.deviceAnswer(refused))
        #expect(try await refusal.failure.problem.code == "notRunning")
        #expect(try await states(bench, client) == ["failed"])
        await bench.end()
    }

    @Test("Drops an answer that lists foreign devices or too many")
    func hostileDevices() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        async let reply = bench.ask(client, try request("north/cam"))
        let good = try answer(try await agent.deviceOrder(), .stopped)
        let lies: [(inout WireDeviceAnswer) -> Void] = [
            { $0.devices[0].device.id.node = "south" },
            { $0.devices = Array(repeating: $0.devices[0], count: WireLimits.devicesPerNode + 1) },
            { $0.devices[0].clearCondition() },
            { $0.devices[0].condition.state = "flying" },
        ]
        for lie in lies {
            var answer = good
            answer.devices[0].condition.state = "absent"
            lie(&answer)
            try await agent.send(.deviceAnswer(answer))
        }
        #expect(try await agent.beats(1), "all of them have been read")
        try await agent.send(.deviceAnswer(good))
        #expect(try await reply.deviceReply.session.condition.state == "stopped")
        #expect(try await states(bench, client) == ["stopped"])
        let count = UInt64(lies.count)
        #expect(try await bench.drops("control.malformed", once: count, client) == count)
        await bench.end()
    }

    @Test("Relays a device's refusal with its sentence")
    func refusal() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        async let reply = bench.ask(client, try request("north/cam"))
        var answer = WireDeviceAnswer()
        answer.requestID = try await agent.deviceOrder().requestID
        answer.problem = RigProblem(.conflict, "it is recording").wire
        try await agent.send(.deviceAnswer(answer))
        #expect(try await reply.failure.problem == RigProblem(.conflict, "it is recording").wire)
        await bench.end()
    }

    @Test("Answers requests about unknown or absent nodes, and invalid ones")
    func noNode() async throws {
        let bench = try await WireBench()
        let client = try await bench.dealer(bench.client)
        #expect(try await bench.ask(client, try request("north/cam")).failure.problem.code == "unknownDevice")
        var malformed = try request("north/cam")
        malformed.deviceRequest.timeoutNs = -1
        #expect(try await bench.ask(client, malformed).failure.problem.code == "protocolViolation")
        await bench.end()
    }

    @Test func `a client is told at once that a node's reply is not valid`() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        let spoils: [(inout WireDeviceReply) -> Void] = [
            { $0.session.clearCondition() }, { $0.session.condition.state = "flying" }, { $0.result = nil },
            { $0.switchAnswer.objection.reason = "switching" },
            { ($0.switchAnswer.objection.reason, $0.switchAnswer.objection.problem.code) = ("dancing", "conflict") },
            { $0.spool.captures = Array(repeating: .init(), count: WireLimits.inventory + 1) },
        ]
        var answered: UInt64 = 0
        for spoil in spoils {
            async let reply = bench.ask(client, try request("north/cam"))
            let order = try await agent.deviceOrder(after: answered)
            answered = order.requestID
            var answer = try self.answer(order, .stopped)
            spoil(&answer.reply)
            try await agent.send(.deviceAnswer(answer))
            let problem = try await reply.failure.problem
            #expect(problem.code == "protocolViolation" && problem.message.contains("node 'north'"))
        }
        await bench.end()
    }

    @Test func `a command that is not valid reaches no node`() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        var invalid = try request("north/cam")
        invalid.deviceRequest.setControls = .init()
        #expect(try await bench.ask(client, invalid).failure.problem.code == "protocolViolation")
        invalid.deviceRequest.switchInput.replacement = "../x"
        #expect(try await bench.ask(client, invalid).failure.problem.code == "protocolViolation")
        invalid.deviceRequest.canSwitchInput.replacement = "../x"
        #expect(try await bench.ask(client, invalid).failure.problem.code == "protocolViolation")
        #expect(try await agent.beats(1), "nothing else was sent to it")
        await bench.end()
    }
}
