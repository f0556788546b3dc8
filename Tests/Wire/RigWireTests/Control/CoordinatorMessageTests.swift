import CaptureModel
import CaptureTestSupport
import ControlMessages
import FoundationEssentials
import RigProtocol
import RigWire
import Testing

@Suite struct PrepareOrderTests {
    /// The order as the node `north` reads it.
    private func read(_ wire: WirePrepare) throws -> PrepareOrder {
        guard case .order(.prepare(let order))? = try CoordinatorMessage(wire: .prepare(wire), to: NodeName("north"))
        else { throw RigProblem(.protocolViolation, "not an order") }
        return order
    }

    private func prepare(_ change: (inout WirePrepare) -> Void = { _ in }) -> WirePrepare {
        var generator = SeededGenerator(seed: 1)
        var wire = WirePrepare()
        wire.shotID = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator).wire
        wire.devices = ["cam1", "cam2"]
        wire.rigClockID = "rig-1"
        wire.rigTimeNs = 10
        wire.pinnedUntilRigNs = 20
        wire.setUntilRigNs = 15
        wire.settings = PhotoSettings(quality: 80).wire
        wire.realtimeAtTimeNs = 30
        wire.utcOffsetMinutes = 120
        change(&wire)
        return wire
    }

    @Test("Receives a request with the values it was sent with")
    func whole() throws {
        let order = try read(prepare())
        #expect(order.shot.wire == prepare().shotID)
        #expect(order.devices == [try DeviceID("north/cam1"), try DeviceID("north/cam2")])
        #expect(order.time == RigTime(nanoseconds: 10))
        #expect(order.pinnedUntil == RigTime(nanoseconds: 20))
        #expect(order.setUntil == RigTime(nanoseconds: 15))
        #expect(order.rigClock == RigClockID(rawValue: "rig-1"))
        #expect(order.settings == PhotoSettings(quality: 80))
        #expect(order.realtimeAtTime == 30)
        #expect(order.utcOffsetMinutes == 120)
    }

    @Test("Refuses requests with hostile fields")
    func hostile() {
        let changes: [@Sendable (inout WirePrepare) -> Void] = [
            { $0.shotID = Data() }, { $0.shotID = Data(repeating: 0, count: 16) },
            { $0.shotID = Data(repeating: 1, count: 4000) },
            { $0.devices = ["../../etc"] }, { $0.devices = [""] },
            { $0.devices = [String](repeating: "cam1", count: WireLimits.devicesPerNode + 1) },
            { $0.settings = "" }, { $0.settings = #"{"quality":0}"# }, { $0.settings = #"{"later":true}"# },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: WireError.self, "case \(index)") { try read(prepare(change)) }
        }
    }

    @Test("Handles extreme instants from a peer")
    func extremes() throws {
        for extreme in [Int64.min, .max] {
            let order = try read(
                prepare {
                    $0.rigTimeNs = extreme
                    $0.pinnedUntilRigNs = extreme
                    $0.realtimeAtTimeNs = extreme
                    $0.utcOffsetMinutes = extreme < 0 ? .min : .max
                })
            #expect(order.time.nanoseconds == extreme && order.pinnedUntil.nanoseconds == extreme)
        }
    }
}

@Suite struct WelcomeTests {
    private func read(_ wire: WireWelcome) throws -> CoordinatorMessage? {
        try CoordinatorMessage(wire: .welcome(wire), to: NodeName("north"))
    }

    private func welcome(_ change: (inout WireWelcome) -> Void = { _ in }) -> WireWelcome {
        var welcome = WireWelcome()
        welcome.clockPort = 7711
        welcome.collectPort = 7712
        welcome.heartbeatIntervalNs = 500_000_000
        welcome.heartbeatTimeoutNs = 2_000_000_000
        change(&welcome)
        return welcome
    }

    @Test("Ignores a welcome with impossible values")
    func hostile() {
        #expect(throws: Never.self) { try read(welcome()) }
        let changes: [@Sendable (inout WireWelcome) -> Void] = [
            { $0.clockPort = 0 }, { $0.clockPort = 65_536 }, { $0.collectPort = 0 }, { $0.collectPort = .max },
            { $0.heartbeatIntervalNs = 0 }, { $0.heartbeatIntervalNs = -1 }, { $0.heartbeatIntervalNs = .max },
            { $0.heartbeatTimeoutNs = 1 }, { $0.heartbeatTimeoutNs = .min }, { $0.heartbeatTimeoutNs = .max },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: WireError.self, "case \(index)") { try read(welcome(change)) }
        }
    }
}

@Suite struct NumberedDeviceRequestTests {
    private func read(_ wire: WireDeviceOrder) throws -> NumberedDeviceRequest {
        guard
            case .order(.deviceRequest(let request))? = try CoordinatorMessage(
                wire: .deviceOrder(wire), to: NodeName("north"))
        else { throw RigProblem(.protocolViolation, "not a request") }
        return request
    }

    @Test("Answers a request with a hostile field with what is wrong")
    func hostile() throws {
        var connection = WireSetConnection()
        connection.orientationDegrees = 45
        var input = WireSwitchInput()
        input.replacement = "../x"
        var query = WireCanSwitchInput()
        query.replacement = ""
        var (near, long) = (WireAlignCamera(), WireAlignCamera())
        (near.toleranceNs, long.restartBudgetNs) = (999, .max)
        let commands: [(WireDeviceRequest.OneOf_Command?, String)] = [
            (.setConnection(connection), "90"), (.switchInput(input), "replacement"), (.setControls(.init()), "values"),
            (.canSwitchInput(query), "replacement"), (.align(near), "tolerance_ns"),
            (.align(long), "restart_budget_ns"),
        ]
        for (command, word) in commands {
            var order = WireDeviceOrder()
            (order.requestID, order.request.command) = (7, command)
            order.request.device = try DeviceID("north/cam").wire
            let request = try read(order)
            guard case .failure(let problem) = request.request else {
                Issue.record("accepted: \(order)")
                continue
            }
            #expect(request.number == 7 && request.isAboutDevice)
            #expect(problem.code == .protocolViolation && problem.message.contains(word))
        }
    }

    @Test("Answers a command of an unknown kind")
    func unknown() throws {
        var order = WireDeviceOrder()
        order.request.device = try DeviceID("north/cam").wire
        #expect(try read(order).request.get().command == nil)
    }
}
