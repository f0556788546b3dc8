import CaptureModel
import RigProtocol
import RigWire
import Testing
import ZeroMQ

/// Peers that leave while the coordinator has something for them.
@Suite(.timeLimit(.minutes(10))) struct DepartedPeerTests {
    private func request(timeout: Int64 = 0) throws -> WireClientRequest {
        var request = WireClientRequest()
        request.protocolVersion = ProtocolVersion.current
        request.requestID = 7
        request.deviceRequest.device = try DeviceID("north/cam").wire
        request.deviceRequest.timeoutNs = timeout
        request.deviceRequest.stopSession = .init()
        return request
    }

    /// Refuses an order, which answers the client that has asked.
    private func refuse(_ order: WireDeviceOrder, by agent: FakeAgent) async throws {
        var answer = WireDeviceAnswer()
        answer.requestID = order.requestID
        answer.problem = RigProblem(.conflict, "it is recording").wire
        try await agent.send(.deviceAnswer(answer))
    }

    @Test("Counts no reply as dropped because its client has left, as with trigger --wait stills")
    func client() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let impatient = try await bench.dealer(bench.client)
        _ = await impatient.send(Message(try WireCoding.client.encode(try request())))
        let first = try await agent.deviceOrder()
        await impatient.close()
        // By the time of this answer, the coordinator has seen the end of the earlier connection.
        let patient = try await bench.dealer(bench.client)
        _ = try await bench.status(patient)
        try await refuse(first, by: agent)
        async let reply = bench.ask(patient, try request())
        try await refuse(try await agent.deviceOrder(after: first.requestID), by: agent)
        #expect(try await reply.failure.problem.code == "conflict")
        #expect(try #require(try await bench.status(patient)).droppedMessages.isEmpty)
        await bench.end()
    }

    @Test("Counts no order as dropped because its agent has left")
    func agent() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        await agent.socket.close()
        var other = try await FakeAgent(bench, node: "south")
        _ = try await other.join()
        let client = try await bench.dealer(bench.client)
        let reply = try await bench.ask(client, try request(timeout: 50_000_000))
        #expect(reply.failure.problem.code == RigProblem.Code.nodeUnreachable.rawValue)
        #expect(try #require(try await bench.status(client)).droppedMessages.isEmpty)
        await bench.end()
    }
}
