import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Shots of a rig with a camera that somebody wants closed. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct ClosedCameraTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    /// A rig with a running camera, and `south/cam` in another condition.
    private func bench(_ state: DeviceCondition.State, _ session: SessionCondition) async throws -> RigBench {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        var hello = try Samples.hello("south")
        hello.devices[0].condition.state = state
        hello.devices[0].condition.reason = "the session was stopped"
        hello.devices[0].condition.session = session
        guard case .success = try await bench.rig.admit(hello, from: NodeName("south"), epoch: Samples.epoch(1)) else {
            Issue.record("the node was refused")
            return bench
        }
        try await bench.rig.reconcile(hello, from: NodeName("south"), epochChanged: true)
        return bench
    }

    private static let held = SessionCondition(phase: .stopped, demands: [.standby], isHeld: true)
    private static let onDemand = SessionCondition(phase: .stopped)

    private func take(_ bench: RigBench, _ settings: PhotoSettings = PhotoSettings()) async throws -> Shot {
        let notices = await bench.rig.trigger(bench.order(settings: settings))
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        try await bench.captured("north", [1])
        try await bench.collect("north", [1])
        return try #require(try await bench.answer(notices))
    }

    /// The cameras of a shot as it was accepted.
    private func expected(_ bench: RigBench, _ order: TriggerRequest) async throws -> [String] {
        let notices = await bench.rig.trigger(order)
        for await notice in notices {
            if case .progress(_, let shot, _) = notice { return shot.captures.map(\.device.id.description) }
            if case .answer(let answer) = notice { return answer.shot.captures.map(\.device.id.description) }
        }
        return []
    }

    @Test(arguments: [held, onDemand]) func `a shot of all is complete without it, and its manifest names it`(
        session: SessionCondition
    ) async throws {
        let bench = try await bench(.stopped, session)
        let shot = try await take(bench)
        #expect(shot.status == .complete && shot.captures.map(\.device.id.description) == ["north/cam"])
        #expect(
            shot.leftOut
                == [LeftOutCamera(device: try DeviceID("south/cam"), reason: "the session was stopped")])
        #expect(try await bench.library.shot(shot.id)?.leftOut == shot.leftOut)
        await bench.end()
    }

    @Test func `a camera that is named, or required, has an outcome`() async throws {
        let bench = try await bench(.stopped, Self.held)
        let named = Selection(devices: [try DeviceID("north/cam"), try DeviceID("south/cam")])
        #expect(try await expected(bench, bench.order(1, selection: named)) == ["north/cam", "south/cam"])
        #expect(try await expected(bench, bench.order(2, requireAll: true)) == ["north/cam", "south/cam"])
        await bench.end()
    }

    @Test func `a camera that should run is expected`() async throws {
        let conditions: [(DeviceCondition.State, SessionCondition)] = [
            (.starting, SessionCondition(phase: .stopped)),
            (.stopped, SessionCondition(phase: .stopped, demands: [.standby])),
            (.stopped, SessionCondition(phase: .interrupted, interruption: .systemPressure, demands: [.standby])),
            (.failed, SessionCondition(phase: .failed, demands: [.standby])),
        ]
        for (state, session) in conditions {
            let condition = DeviceCondition(state: state, reason: "why", session: session)
            #expect(condition.deliberateStop == nil, "\(state) \(session.phase)")
        }
        let bench = try await bench(.stopped, conditions[2].1)
        #expect(try await expected(bench, bench.order()) == ["north/cam", "south/cam"])
        await bench.end()
    }

    @Test func `a shot of closed cameras alone is refused with the reason, and fires nothing`() async throws {
        let bench = try await bench(.stopped, Self.onDemand)
        let refusal = await bench.refusal(bench.order(selection: Selection(nodes: [try NodeName("south")])))
        #expect(refusal?.code == .emptySelection)
        #expect(refusal?.message.contains("south/cam: the session was stopped") == true)
        await bench.end()
    }
}
