import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigTestSupport
import Testing

@testable import RigCore

@Suite("Instants of a node that is not on the rig's time line") struct TimeLineTests {
    private let line = RigClockID(rawValue: "rig-1")
    private let earlier = RigClockID(rawValue: "rig-0")

    private func heartbeat(_ line: RigClockID?, _ phase: FramePhase) throws -> NodeHeartbeat {
        var status = try Samples.hello("north").devices[0]
        status.condition.phase = phase
        return NodeHeartbeat(
            devices: [status], rigClock: line, clockBound: .microseconds(100), ringDepth: .seconds(3),
            spoolUsedBytes: 0, spoolFreeBytes: 1 << 30)
    }

    @Test("A node has no clock bound and its cameras have no phase until it is synchronized with this time line")
    func restartedMachine() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        let node = try NodeName("north")
        let phase = FramePhase(midExposure: RigTime(nanoseconds: 5), periodNanoseconds: 33_333_333)
        // The agent was connected before the coordinator's machine was started again.
        var hello = try Samples.hello("north")
        hello.devices[0].condition.phase = phase
        hello.rigClock = earlier
        _ = try await bench.rig.admit(hello, from: NodeName("north"), epoch: Samples.epoch(1))
        #expect(await bench.phase(of: "north") == nil)
        await bench.rig.accept(.heartbeat(try heartbeat(earlier, phase)), from: node)
        #expect(await bench.rig.status().nodes.map(\.clockBound) == [nil])
        #expect(await bench.phase(of: "north") == nil)
        let answer = DeviceAnswer(
            number: 1, devices: try heartbeat(line, phase).devices, outcome: .failure(RigProblem(.cancelled, "")))
        await bench.rig.accept(.deviceAnswer(answer), from: node)
        #expect(await bench.phase(of: "north") == nil)

        await bench.rig.accept(.heartbeat(try heartbeat(line, phase)), from: node)
        #expect(await bench.rig.status().nodes.map(\.clockBound) == [.microseconds(100)])
        #expect(await bench.phase(of: "north") == phase)
        await bench.end()
    }

    @Test("An agent that does not report its time line is believed")
    func olderAgent() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        let phase = FramePhase(midExposure: RigTime(nanoseconds: 5), periodNanoseconds: 33_333_333)
        try await bench.hello("north")
        await bench.rig.accept(.heartbeat(try heartbeat(nil, phase)), from: try NodeName("north"))
        #expect(await bench.rig.status().nodes.map(\.clockBound) == [.microseconds(100)])
        #expect(await bench.phase(of: "north") == phase)
        await bench.end()
    }
}

extension RigBench {
    fileprivate func phase(of node: String) async -> FramePhase? {
        await rig.roster.devices.first { $0.description.id.node.rawValue == node }?.condition.phase
    }
}
