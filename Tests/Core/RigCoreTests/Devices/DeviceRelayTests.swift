import CaptureModel
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

    private func request(_ node: NodeName, timeout: Duration = .seconds(10)) throws -> DeviceRequest {
        DeviceRequest(
            device: DeviceID(node: node, device: try DeviceName("cam")), timeout: timeout,
            command: .stopSession(force: false))
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
