import CaptureModel
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// What goes wrong while the camera is away from its stream: the rows of the table in `docs/design/photo.md`.
@Suite(.timeLimit(.minutes(10))) struct FormatSwitchTroubleTests {
    /// Runs a camera that is armed for a larger still two seconds ahead, and is given to `body`.
    private func armed(
        pinnedFor pinned: Duration = .seconds(10), _ body: (Stage, CaptureOrder) async throws -> Void
    ) async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let order = stage.larger(in: .seconds(2), pinnedFor: pinned)
            _ = try await stage.session.arm(order).get()
            try await body(stage, order)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    /// Lets time pass until the camera delivers in the still's format.
    private func away(_ stage: Stage) async {
        await stage.pass(until: .starting)
        while await !stage.session.hasPhotoFrames { await stage.pass(.milliseconds(1)) }
    }

    @Test("Fails only the still when its format cannot be opened, and tells the reason")
    func cannotOpen() async throws {
        try await armed { stage, order in
            try stage.camera.faults.inject(VirtualFault(.busy, count: 1))
            let problem = await stage.fire(order).problem
            #expect(problem?.code == .deviceLost)
            #expect(problem?.message.contains("another program") == true, "\(problem?.message ?? "")")
            #expect(problem?.message.contains("its stream was interrupted for") == true)
            #expect(stage.recorder.steps(of: order.key).last?.name == "didFinish(deviceLost)")
            #expect(stage.recorder.gaps.count == 1)
            try await stage.expectStream()
        }
    }

    @Test("Keeps a still whose stream does not come back, and reports the interruption as open")
    func wayBack() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            await away(stage)
            try stage.camera.faults.inject(VirtualFault(.busy, count: 2))
            await stage.pass(until: .busy)
            let report = try #require(await firing.value.report)
            #expect(report.resolved.width == 320)
            #expect(report.streamGap != nil && report.streamGap?.nanoseconds == nil)
            #expect(stage.recorder.gaps.isEmpty)
            await stage.pass(until: .running, times: 2)
            try await stage.expectStream()
            let gap = try #require(stage.recorder.gaps.first)
            #expect(gap.key == order.key && gap.gap.localStart == report.streamGap?.localStart)
            #expect(gap.gap.nanoseconds ?? 0 > 1_000_000_000)
        }
    }

    @Test("Fails the still of a camera that is lost in the still's format")
    func lost() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            await away(stage)
            try stage.camera.faults.inject(VirtualFault(.unplugged, forSeconds: 1))
            await stage.pass(until: .absent)
            await stage.pass(.milliseconds(100))
            let problem = await firing.value.problem
            #expect(problem?.code == .deviceLost)
            #expect(problem?.message.contains("unplugged") == true, "\(problem?.message ?? "")")
            #expect(problem?.message.contains("has not returned yet") == true)
            await stage.pass(until: .running, times: 2)
            try await stage.expectStream()
            #expect(stage.recorder.gaps.count == 1)
        }
    }

    @Test("Refuses a larger still of a camera that is lost")
    func lostBefore() async throws {
        try await armed { stage, order in
            try stage.camera.faults.inject(VirtualFault(.unplugged, forSeconds: 60))
            let problem = await stage.fire(order).problem
            #expect(problem?.code == .deviceLost)
            #expect(problem?.message.contains("unplugged") == true)
            #expect(stage.recorder.gaps.isEmpty)
            #expect(await stage.session.condition.state == .absent)
        }
    }

    @Test("Returns to the stream when the still's format gives no good frames")
    func noFrames() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            await away(stage)
            try stage.camera.faults.inject(VirtualFault(.torn, forSeconds: 2))
            await stage.pass(.seconds(4))
            #expect(await firing.value.problem?.code == .noFrameNearTime)
            try await stage.expectStream()
        }
    }

    @Test(
        "A shot that is cancelled or expires while its camera is away keeps the stream away until T",
        arguments: [true, false])
    func givenUp(isCancelled: Bool) async throws {
        try await armed(pinnedFor: isCancelled ? .seconds(10) : .milliseconds(-400)) { stage, order in
            await away(stage)
            if isCancelled { await stage.session.cancel(order.key) }
            await stage.pass(until: .running, times: 2)
            if isCancelled { #expect(stage.now < order.time - .milliseconds(100)) }
            try await stage.expectStream()
            #expect(
                stage.recorder.steps(of: order.key).map(\.name)
                    == ["willBegin", isCancelled ? "didFinish(cancelled)" : "didFinish(expired)"])
            #expect(stage.recorder.gaps.count == 1)
            let next = stage.order(stage.now, shot: 2)
            _ = try await stage.session.arm(next).get()
            await stage.session.cancel(next.key)
        }
    }

    @Test("Gives up soon after T when the still's format delivers nothing")
    func slow() async throws {
        try await armed { stage, order in
            try stage.camera.faults.inject(VirtualFault(.slowStart, count: 1, delaySeconds: 60))
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(until: .running, times: 2)
            #expect(await stage.session.condition.counters.stalls == 0, "not until the watchdog bites")
            #expect(await firing.value.problem?.code == .noFrameNearTime)
            try await stage.expectStream()
        }
    }

    @Test("Keeps the stream when a shot is cancelled in time")
    func cancelledBefore() async throws {
        try await armed { stage, order in
            await stage.session.cancel(order.key)
            await stage.pass(.seconds(3))
            #expect(stage.recorder.states == [.running])
        }
    }

    @Test("Keeps a camera stopped that is stopped during a format switch")
    func stopped() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            await away(stage)
            await stage.session.stopRunning()
            #expect(await firing.value.problem?.code == .deviceLost)
            #expect(await stage.session.condition.state == .stopped)
            #expect(stage.recorder.gaps.isEmpty)
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(until: .running, times: 2)
            #expect(await starting.value == nil)
            try await stage.expectStream()
        }
    }

    @Test("Answers pending requests at once when the agent ends during a format switch")
    func ended() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            await away(stage)
            await stage.end()
            #expect(await firing.value.problem?.code == .cancelled)
            #expect(stage.recorder.steps(of: order.key).last?.name == "didFinish(cancelled)")
        }
    }

    @Test("Keeps the stream for a T that no longer applies")
    func clockLost() async throws {
        try await armed { stage, order in
            let firing = Task { await stage.session.fire(order.key) }
            stage.rig.lose()
            await stage.pass(.seconds(2))
            #expect(await firing.value.problem?.code == .unsynchronized)
            #expect(stage.recorder.states == [.running])
        }
    }
}
