import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct SuspensionTests {
    @Test("Fails a shot from before a suspension of the machine")
    func machineSlept() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let (fired, armed) = (
                stage.order(stage.now + .milliseconds(300)), stage.order(stage.now + .seconds(1), shot: 2)
            )
            for order in [fired, armed] { _ = try await stage.session.arm(order).get() }
            let firing = Task { await stage.session.fire(fired.key) }
            await stage.recorder.wait(for: fired.key) { $0 == .willCapturePhoto }
            stage.clock.suspendMachine(for: .seconds(30))
            await stage.session.wasSuspended(Suspension(.machineSlept, .seconds(30)))
            let problem = await firing.value.problem
            #expect(problem?.code == .deviceLost && problem?.message.contains("suspended for 30000 ms") == true)
            #expect(stage.recorder.steps(of: armed.key).map(\.name) == ["willBegin", "didFinish(deviceLost)"])
            #expect(await stage.session.ringReach == .zero, "a frame of before would pass for one of after")
            #expect(await stage.spool.usage().reservedBytes == 0)
            let condition = await stage.session.condition
            #expect(condition.state == .stalled && condition.session?.interruption == .nodeSuspended)
            let refusal = await stage.session.arm(stage.order(stage.now, shot: 3)).failure
            #expect(refusal?.code == .notRunning)
            await stage.pass(until: .running, times: 2)
            await stage.advance(frames: 4)
            let after = stage.order(stage.now, shot: 4)
            _ = try await stage.session.arm(after).get()
            await stage.advance(frames: 2)
            #expect(await stage.session.fire(after.key).report != nil)
            #expect(await stage.session.condition.counters.stalls == 0)
        }
    }

    @Test("Keeps frames and shots when the process is stopped for a while")
    func processStopped() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now - .milliseconds(120))
            _ = try await stage.session.arm(order).get()
            await stage.session.wasSuspended(Suspension(.processStopped, .seconds(3)))
            #expect(await stage.session.fire(order.key).report != nil)
            await stage.pass(until: .running, times: 2)
            let notices = await stage.recorder.notices(5)
            #expect(
                notices.dropFirst().map { notice in
                    switch notice {
                    case .wasInterrupted(let reason, _): "interrupted \(reason.rawValue)"
                    case .interruptionEnded(let reason): "ended \(reason.rawValue)"
                    default: "\(notice)"
                    }
                } == ["interrupted nodeSuspended", "didStopRunning", "ended nodeSuspended", "didStartRunning"])
        }
    }

    @Test("Reports no stall for a time in which the process did not run")
    func watchdogThatWokeLate() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.stalled, afterSeconds: 1)] }
        try await stage.run {
            await stage.start()
            await stage.pass(.seconds(2))
            // The watchdog's instant passes, and is noticed late.
            stage.clock.leap(by: .seconds(2))
            await stage.waitUntilIdle()
            await stage.pass(.seconds(1))
            #expect(await stage.session.condition.counters.stalls == 0)
            await stage.pass(.seconds(2))
            #expect(await stage.session.condition.counters.stalls == 1, "forgiven once, not for ever")
        }
    }
}
