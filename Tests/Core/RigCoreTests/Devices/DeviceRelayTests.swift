import CaptureModel
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

    private func take(_ relay: inout DeviceRelay, _ node: NodeName) throws -> UInt64 {
        try relay.begin(try request(node), at: start, isConnected: true).number
    }

    /// The numbers that end, with the code of the failure, or nil for an answer.
    private func ends(_ actions: [DeviceRelay.Action]) -> [UInt64: CaptureProblem.Code?] {
        var ends: [UInt64: CaptureProblem.Code?] = [:]
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

    @Test("A request for a node that is away waits for ever")
    func away() throws {
        var relay = DeviceRelay()
        #expect(throws: CaptureProblem.self) {
            _ = try relay.begin(try request(north), at: start, isConnected: false)
        }
        #expect(relay.count == 0)
        #expect(relay.nextDeadline == nil)
    }

    @Test("An answer reaches another client, or a repeated one is told twice")
    func answers() throws {
        var relay = DeviceRelay()
        let first = try take(&relay, north)
        let second = try take(&relay, north)
        #expect(ends(relay.handle(.answered(second, by: north, .success(.controls([:]))))) == [second: nil])
        #expect(relay.handle(.answered(second, by: north, .success(.controls([:])))).isEmpty)
        #expect(ends(relay.handle(.answered(first, by: north, .success(.controls([:]))))) == [first: nil])
        #expect(relay.count == 0)
    }

    @Test("A node answers for another one")
    func foreignAnswer() throws {
        var relay = DeviceRelay()
        let number = try take(&relay, north)
        #expect(relay.handle(.answered(number, by: south, .success(.controls([:])))).isEmpty)
        #expect(relay.handle(.answered(number &+ 7, by: north, .success(.controls([:])))).isEmpty)
        #expect(relay.count == 1)
    }

    @Test("A node that does not answer keeps a client waiting, or takes another node's requests with it")
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

    @Test("A request lost with its connection is not carried out, though the agent lives on")
    func reconnected() throws {
        var relay = DeviceRelay()
        let numbers = [try take(&relay, north), try take(&relay, north)]
        _ = try take(&relay, south)
        #expect(sent(relay.handle(.nodeConnected(north, hasRestarted: false))) == numbers)
    }

    @Test("The end of an agent leaves a client without an answer")
    func lostAgents() throws {
        var relay = DeviceRelay()
        let first = try take(&relay, north)
        let second = try take(&relay, south)
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

    @Test("A request that its client repeats is carried out once, and has one outcome")
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

    @Test("A repeat is told what was told before, also where that is not known")
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
        #expect(throws: CaptureProblem.self) { _ = try relay.begin(other, at: start, isConnected: false) }
        #expect(try relay.earlier(other) == nil)
    }

    @Test("An id that was used for another request is refused, while that is under way and afterwards")
    func usedID() throws {
        var relay = DeviceRelay()
        let number = try relay.begin(try request(north, id: 7), at: start, isConnected: true).number
        let others = [try request(south, id: 7), try request(north, .startSession, id: 7)]
        for isUnderWay in [true, false] {
            for other in others {
                let problem = #expect(throws: CaptureProblem.self) { try relay.earlier(other) }
                #expect(problem?.code == .conflict)
            }
            if isUnderWay { _ = relay.handle(.answered(number, by: north, .success(try answer([])))) }
        }
    }

    @Test("Outcomes for repeats do not grow without end")
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
        #expect(outcomes[1003] == nil, "it is asked for anew")
    }

    @Test("One node's requests grow without end, or leave no place for another's")
    func bounds() throws {
        var relay = DeviceRelay()
        for _ in 0..<DeviceRelay.limitPerNode { _ = try take(&relay, north) }
        #expect(throws: CaptureProblem.self) { _ = try take(&relay, north) }
        _ = try take(&relay, south)
        for index in 0..<DeviceRelay.limit / DeviceRelay.limitPerNode {
            let node = try NodeName("n\(index)")
            for _ in 0..<DeviceRelay.limitPerNode { _ = try? take(&relay, node) }
        }
        #expect(relay.count == DeviceRelay.limit)
        #expect(throws: CaptureProblem.self) { _ = try take(&relay, try NodeName("last")) }
    }
}
