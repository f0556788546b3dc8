import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct NodeLoadTests {
    private func device(
        _ name: String, bytes: Int64, bus: Int?, readiness: CaptureReadiness = .ready,
        demands: [SessionDemand] = [.standby]
    ) throws -> DeviceStatus {
        let bus = bus.map { SessionCost.USBBus(number: $0, limitBytesPerSecond: 48_000_000) }
        let cost = SessionCost(
            streamBytesPerSecond: bytes, ringBytes: 10, ringLimitBytes: 20, encodePermille: 300, bus: bus)
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID("n/\(name)"), driver: "v4l2"),
            condition: DeviceCondition(
                state: .running,
                session: SessionCondition(phase: .running, demands: demands, readiness: readiness, cost: cost)))
    }

    @Test("Cameras that are too much for one USB bus are not told of, or those on another are blamed")
    func buses() throws {
        let load = NodeLoad([
            try device("a", bytes: 30_000_000, bus: 1), try device("b", bytes: 30_000_000, bus: 1),
            try device("c", bytes: 30_000_000, bus: 2), try device("d", bytes: 30_000_000, bus: nil),
        ])
        #expect(load.streamBytesPerSecond == 120_000_000)
        #expect(load.encodePermille == 1200)
        #expect(load.buses.map(\.bytesPerSecond) == [60_000_000, 30_000_000])
        #expect(load.warnings.count == 1)
        #expect(load.warnings.first?.contains("USB bus 1") == true)
    }

    @Test("A node counts as ready while one of its cameras is not, or waits for one that nobody needs")
    func readiness() throws {
        let cameras = [
            try device("a", bytes: 1, bus: nil), try device("b", bytes: 1, bus: nil, readiness: .waitingForCapture),
            try device("c", bytes: 1, bus: nil, readiness: .notRunning, demands: []),
        ]
        #expect(NodeLoad(cameras).readiness == .waitingForCapture)
        #expect(NodeLoad([cameras[2]]).readiness == nil)
    }

    @Test("Figures of a broken agent end capctl")
    func overflow() throws {
        let load = NodeLoad([try device("a", bytes: .max, bus: 1), try device("b", bytes: .max, bus: 1)])
        #expect(load.streamBytesPerSecond == .max)
    }
}
