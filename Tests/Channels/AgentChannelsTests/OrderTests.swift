import CaptureEngine
import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigProtocol
import RigWire
import Testing

@testable import AgentChannels
@testable import NodeCore

@Suite struct PrepareOrderTests {
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
        let order = try PrepareOrder(prepare())
        #expect(order.devices == [try DeviceName("cam1"), try DeviceName("cam2")])
        let key = CaptureKey(shot: order.shot, device: try DeviceID("north/cam1"))
        let capture = order.captureOrder(for: key)
        #expect(capture.key == key)
        #expect(capture.time == RigTime(nanoseconds: 10))
        #expect(capture.pinnedUntil == RigTime(nanoseconds: 20))
        #expect(capture.setUntil == RigTime(nanoseconds: 15))
        #expect(capture.rigClock == RigClockID(rawValue: "rig-1"))
        #expect(capture.settings == PhotoSettings(quality: 80))
        #expect(capture.realtimeAtTime == 30)
        #expect(capture.utcOffsetMinutes == 120)
    }

    @Test("Refuses requests with hostile fields")
    func hostile() {
        let changes: [@Sendable (inout WirePrepare) -> Void] = [
            { $0.shotID = Data() }, { $0.shotID = Data(repeating: 0, count: 16) },
            { $0.shotID = Data(repeating: 1, count: 4000) },
            { $0.devices = ["../../etc"] }, { $0.devices = [""] },
            { $0.devices = [String](repeating: "cam1", count: WireLimits.devicesPerNode + 1) },
            { $0.settings.quality = 0 }, { $0.settings.quality = .max },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: (any Error).self, "case \(index)") { try PrepareOrder(prepare(change)) }
        }
    }

    @Test("Handles extreme instants from a peer")
    func extremes() throws {
        for extreme in [Int64.min, .max] {
            let order = try PrepareOrder(
                prepare {
                    $0.rigTimeNs = extreme
                    $0.pinnedUntilRigNs = extreme
                    $0.realtimeAtTimeNs = extreme
                    $0.utcOffsetMinutes = extreme < 0 ? .min : .max
                })
            let key = CaptureKey(shot: order.shot, device: try DeviceID("north/cam1"))
            #expect(order.captureOrder(for: key).time.nanoseconds == extreme)
        }
    }
}

@Suite struct JoinedCoordinatorTests {
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
        #expect(throws: Never.self) { try JoinedCoordinator(welcome()) }
        let changes: [@Sendable (inout WireWelcome) -> Void] = [
            { $0.clockPort = 0 }, { $0.clockPort = 65_536 }, { $0.collectPort = 0 }, { $0.collectPort = .max },
            { $0.heartbeatIntervalNs = 0 }, { $0.heartbeatIntervalNs = -1 }, { $0.heartbeatIntervalNs = .max },
            { $0.heartbeatTimeoutNs = 1 }, { $0.heartbeatTimeoutNs = .min }, { $0.heartbeatTimeoutNs = .max },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: WireError.self, "case \(index)") { try JoinedCoordinator(welcome(change)) }
        }
    }
}

@Suite struct NumberedDeviceRequestTests {
    @Test("Answers a request with a hostile field with what is wrong")
    func hostile() throws {
        var connection = WireSetConnection()
        connection.orientationDegrees = 45
        var input = WireSwitchInput()
        input.replacement = "../x"
        var query = WireCanSwitchInput()
        query.replacement = ""
        let commands: [(WireDeviceRequest.OneOf_Command?, String)] = [
            (.setConnection(connection), "90"), (.switchInput(input), "replacement"), (.setControls(.init()), "values"),
            (.canSwitchInput(query), "replacement"),
        ]
        for (command, word) in commands {
            var order = WireDeviceOrder()
            (order.requestID, order.request.command) = (7, command)
            order.request.device = try DeviceID("north/cam").wire
            let request = NumberedDeviceRequest(order)
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
        #expect(try NumberedDeviceRequest(order).request.get().command == nil)
    }
}
