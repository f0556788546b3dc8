import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct DeviceRelayTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let north: NodeName
    private let south: NodeName

    init() throws {
        north = try NodeName("north")
        south = try NodeName("south")
    }

    private func request(
        _ node: NodeName, timeout: Duration = .seconds(10),
        _ command: DeviceCommand = .stopSession(force: false), id: UInt64? = nil
    ) throws -> DeviceRequest {
        DeviceRequest(
            device: DeviceID(node: node, device: try DeviceName("cam")), timeout: timeout, command: command, id: id)
    }

    private func send(_ relay: inout DeviceRelay, _ node: NodeName) throws -> UInt64 {
        try relay.begin(try request(node), at: start, isConnected: true).number
    }

    /// The numbers that end, with the code of the failure, or nil for an answer.
    private func ends(_ actions: [DeviceRelay.Action]) -> [UInt64: RigProblem.Code?] {
        var ends: [UInt64: RigProblem.Code?] = [:]
        for case .finish(let number, let outcome) in actions {
            switch outcome {
            case .success: ends[number] = .some(nil)
            case .failure(let problem): ends[number] = problem.code
            }
        }
        return ends
    }

    private func sent(_ actions: [DeviceRelay.Action]) -> [UInt64] {
        actions.compactMap { if case .send(let number, _) = $0 { number } else { nil } }
    }

    @Test("Refuses a request for an absent node")
    func away() throws {
        var relay = DeviceRelay()
        #expect(throws: RigProblem.self) {
            _ = try relay.begin(try request(north), at: start, isConnected: false)
        }
        #expect(relay.count == 0)
        #expect(relay.nextDeadline == nil)
    }

    @Test("Sends each answer once to the client that asked")
    func answers() throws {
        var relay = DeviceRelay()
        let first = try send(&relay, north)
        let second = try send(&relay, north)
        #expect(ends(relay.handle(.answered(second, by: north, .success(.controls([:]))))) == [second: nil])
        #expect(relay.handle(.answered(second, by: north, .success(.controls([:])))).isEmpty)
        #expect(ends(relay.handle(.answered(first, by: north, .success(.controls([:]))))) == [first: nil])
        #expect(relay.count == 0)
    }

    @Test("Accepts an answer only from the node that was asked")
    func foreignAnswer() throws {
        var relay = DeviceRelay()
        let number = try send(&relay, north)
        #expect(relay.handle(.answered(number, by: south, .success(.controls([:])))).isEmpty)
        #expect(relay.handle(.answered(number &+ 7, by: north, .success(.controls([:])))).isEmpty)
        #expect(relay.count == 1)
    }

    @Test("Ends the request of a silent node by its deadline, and serves other nodes")
    func deadline() throws {
        var relay = DeviceRelay()
        let late = try relay.begin(try request(north, timeout: .seconds(1)), at: start, isConnected: true).number
        let patient = try relay.begin(try request(south, timeout: .seconds(5)), at: start, isConnected: true).number
        #expect(relay.nextDeadline == start + .seconds(1))
        #expect(relay.handle(.deadlinePassed(at: start + .milliseconds(999))).isEmpty)
        #expect(ends(relay.handle(.deadlinePassed(at: start + .seconds(1)))) == [late: .nodeUnreachable])
        #expect(
            relay.handle(.answered(late, by: north, .success(.controls([:])))).isEmpty,
            "an answer after the end is ignored")
        #expect(relay.nextDeadline == start + .seconds(5))
        #expect(ends(relay.handle(.answered(patient, by: south, .success(.controls([:]))))) == [patient: nil])
    }

    @Test("Repeats a request lost with its connection")
    func reconnected() throws {
        var relay = DeviceRelay()
        let numbers = [try send(&relay, north), try send(&relay, north)]
        _ = try send(&relay, south)
        #expect(sent(relay.handle(.nodeConnected(north, hasRestarted: false))) == numbers)
    }

    @Test("Ends the requests of an agent that ends")
    func lostAgents() throws {
        var relay = DeviceRelay()
        let first = try send(&relay, north)
        let second = try send(&relay, south)
        #expect(ends(relay.handle(.nodeConnected(north, hasRestarted: true))) == [first: .agentRestarted])
        #expect(ends(relay.handle(.nodeGone(south))) == [second: .nodeUnreachable])
        #expect(relay.count == 0)
    }

    private func answer(_ changes: [String]) throws -> DeviceReply {
        .session(
            SessionResult(
                device: DeviceID(node: north, device: try DeviceName("cam")),
                condition: DeviceCondition(state: .running),
                changes: changes))
    }

    private func number(_ earlier: DeviceRelay.Earlier?) -> UInt64? {
        if case .underWay(let number)? = earlier { number } else { nil }
    }

    private func outcome(_ earlier: DeviceRelay.Earlier?) -> DeviceRelay.Outcome? {
        if case .ended(let outcome)? = earlier { outcome } else { nil }
    }

    @Test("Carries out a repeated request once, with one outcome")
    func repeated() throws {
        var relay = DeviceRelay()
        let order = try request(north, id: 7)
        #expect(try relay.earlier(order) == nil)
        let first = try relay.begin(order, at: start, isConnected: true).number
        #expect(try number(relay.earlier(order)) == first)
        let reply = try answer(["cut"])
        _ = relay.handle(.answered(first, by: north, .success(reply)))
        #expect(try outcome(relay.earlier(order)) == .success(reply))
        #expect(try relay.earlier(try request(north)) == nil, "without an id it is a request of its own")
        #expect(try relay.earlier(try request(north, id: 8)) == nil)
    }

    @Test("Answers a repeat with the first outcome, also where that is unknown")
    func repeatedFailure() throws {
        var relay = DeviceRelay()
        let order = try request(north, id: 7)
        _ = try relay.begin(order, at: start, isConnected: true)
        guard case .finish(_, let told)? = relay.handle(.nodeGone(north)).first else {
            Issue.record("the request goes on")
            return
        }
        #expect(try outcome(relay.earlier(order)) == told)
        // What was refused was not carried out, and is tried again.
        let other = try request(south, id: 8)
        #expect(throws: RigProblem.self) { _ = try relay.begin(other, at: start, isConnected: false) }
        #expect(try relay.earlier(other) == nil)
    }

    @Test("Refuses an id that was used for another request")
    func usedID() throws {
        var relay = DeviceRelay()
        let number = try relay.begin(try request(north, id: 7), at: start, isConnected: true).number
        let others = [try request(south, id: 7), try request(north, .startSession, id: 7)]
        for isUnderWay in [true, false] {
            for other in others {
                let problem = #expect(throws: RigProblem.self) { try relay.earlier(other) }
                #expect(problem?.code == .conflict)
            }
            if isUnderWay { _ = relay.handle(.answered(number, by: north, .success(try answer([])))) }
        }
    }

    @Test("Bounds the outcomes kept for repeats")
    func outcomeBounds() throws {
        var outcomes = DeviceOutcomes()
        for id in 1...UInt64(DeviceOutcomes.limit + 2) {
            outcomes.keep(.success(try answer([])), of: try request(north, id: id))
        }
        #expect(outcomes[2] == nil && outcomes[3] != nil && outcomes.forgotten == 2)
        let keys = try (0..<DeviceOutcomes.captureLimit / 2).map { number in
            CaptureKey(
                shot: Samples.shot(Int64(number % 256)), device: DeviceID(node: north, device: try DeviceName("cam")))
        }
        let discard = DeviceCommand.discardCaptures(keys, isDamaged: false)
        outcomes.keep(.success(.discarded([])), of: try request(north, discard, id: 1000))
        #expect(outcomes[3] == nil && outcomes[4] != nil && outcomes[1000] != nil)
        outcomes.keep(.success(.discarded([])), of: try request(north, discard, id: 1001))
        #expect(outcomes[1000] != nil && outcomes[1001] != nil, "both together are as many as there may be")
        outcomes.keep(.success(.discarded([])), of: try request(north, discard, id: 1002))
        #expect(outcomes[UInt64(DeviceOutcomes.limit + 2)] == nil && outcomes[1000] == nil && outcomes[1002] != nil)
        outcomes.keep(.success(try answer([])), of: try request(north, .describe, id: 1003))
        let query = DeviceCommand.canSwitchInput(to: try DeviceName("cam2"))
        outcomes.keep(.success(.canSwitchInput(nil)), of: try request(north, query, id: 1004))
        #expect(outcomes[1003] == nil && outcomes[1004] == nil, "they are asked again")
    }

    @Test("Limits one node's requests, and leaves places for others")
    func bounds() throws {
        var relay = DeviceRelay()
        for _ in 0..<DeviceRelay.limitPerNode { _ = try send(&relay, north) }
        #expect(throws: RigProblem.self) { _ = try send(&relay, north) }
        _ = try send(&relay, south)
        for index in 0..<DeviceRelay.limit / DeviceRelay.limitPerNode {
            let node = try NodeName("n\(index)")
            for _ in 0..<DeviceRelay.limitPerNode { _ = try? send(&relay, node) }
        }
        #expect(relay.count == DeviceRelay.limit)
        #expect(throws: RigProblem.self) { _ = try send(&relay, try NodeName("last")) }
    }
}

@Suite(.timeLimit(.minutes(10))) struct DeviceDeadlineTests {
    @Test("Answers by the client's deadline when a node stays silent")
    func deadline() async throws {
        let clock = ManualTimeSource()
        let start = clock.now()
        let bench = try await RigBench(folder: try TemporaryFolder(), clock: clock)
        _ = try await bench.hello("north")
        let device = try DeviceID("north/cam")
        let outcomes = await bench.rig.request(
            DeviceRequest(device: device, timeout: .seconds(4), command: .startSession))
        await bench.links.wait(forNodes: [device.node]) { $0.device != nil }
        let waiting = Task { () -> DeviceRelay.Outcome? in
            for await outcome in outcomes { return outcome }
            return nil
        }
        // The watch over nodes, and the deadline of the request.
        while await bench.rig.deviceRequestCount > 0 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(100))
        }
        #expect(clock.now() - start >= .seconds(4))
        guard case .failure(let problem)? = await waiting.value else {
            Issue.record("an answer nobody gave")
            return
        }
        #expect(problem.code == .nodeUnreachable)
        await bench.end()
    }
}

/// Requests about devices that a client repeats under one id.
@Suite(.timeLimit(.minutes(10))) struct DeviceRepeatTests {
    private let device: DeviceID

    init() throws {
        device = try DeviceID("north/cam")
    }

    private func request(_ command: DeviceCommand, id: UInt64) -> DeviceRequest {
        DeviceRequest(device: device, command: command, id: id)
    }

    private func cut() throws -> DeviceReply {
        let stopped = try Samples.device("north/cam", state: .stopped)
        return .session(
            SessionResult(device: device, condition: stopped.condition, changes: ["the recording is cut off"]))
    }

    /// The node carries the request out.
    private func answer(_ bench: RigBench, _ reply: DeviceReply) async throws {
        let number = try #require(bench.links.asked.value.sent.compactMap(\.order.device).last?.number)
        await bench.rig.accept(
            .deviceAnswer(DeviceAnswer(number: number, devices: [], outcome: .success(reply))), from: device.node)
    }

    @Test func `a request that is repeated is sent to the node once, and each repeat has its answer`() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        _ = try await bench.hello("north")
        let request = request(.stopSession(force: true), id: 77)
        let first = await bench.rig.request(request)
        let joining = await bench.rig.request(request)
        let reply = try cut()
        try await answer(bench, reply)
        let late = await bench.rig.request(request)
        for outcomes in [first, joining, late] {
            for await outcome in outcomes { #expect(outcome == .success(reply)) }
        }
        let sent = bench.links.asked.value.sent.count { $0.order.device != nil }
        #expect(sent == 1)
        await bench.end()
    }

    @Test func `of endless repeats the newest are answered and the others refused`() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        _ = try await bench.hello("north")
        var streams: [AsyncStream<DeviceRelay.Outcome>] = []
        for _ in 0..<20 { streams.append(await bench.rig.request(request(.startSession, id: 7))) }
        try await answer(bench, try cut())
        var codes: [RigProblem.Code?] = []
        for stream in streams {
            for await outcome in stream {
                if case .failure(let problem) = outcome { codes.append(problem.code) } else { codes.append(nil) }
            }
        }
        #expect(codes == Array(repeating: .conflict, count: 12) + Array(repeating: nil, count: 8))
        await bench.end()
    }
}
