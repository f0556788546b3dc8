import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct RunningTests {
    /// Lets time pass until `task` has ended.
    private func passing<Value: Sendable>(_ stage: Stage, _ body: @escaping @Sendable () async -> Value) async -> Value
    {
        let outcome = Observed<Value?>(nil)
        let task = Task {
            let value = await body()
            outcome.change { $0 = value }
            return value
        }
        while outcome.value == nil { await stage.pass(.milliseconds(1)) }
        return await task.value
    }

    /// What the session told of itself, in short, once it has told so much.
    private func notices(_ stage: Stage, _ count: Int) async -> [String] {
        await stage.recorder.notices(count).map { notice in
            switch notice {
            case .didStartRunning: "started"
            case .didStopRunning: "stopped"
            case .wasInterrupted(let reason, _): "interrupted \(reason.rawValue)"
            case .interruptionEnded(let reason): "ended \(reason.rawValue)"
            case .runtimeError(_, let attempt): attempt.map { "error \($0)" } ?? "error"
            }
        }
    }

    @Test("Keeps a stopped camera closed, and refuses to arm it")
    func stopAndStart() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            await passing(stage) { await stage.session.stopRunning() }
            let condition = await stage.session.condition
            #expect(condition.state == .stopped)
            #expect(condition.session?.isHeld == true)
            // The device is free for others as soon as the call returns.
            try await stage.camera.start(FormatRequest(), clock: stage.clock).stop()
            await stage.pass(.seconds(20))
            #expect(await stage.session.condition.state == .stopped)
            await stage.session.deviceAppeared()
            #expect(await stage.session.need(.preview)?.code == .notRunning, "held, whatever needs it")
            let problem = await stage.session.arm(stage.order(stage.now)).failure
            #expect(problem?.code == .notRunning)
            #expect(problem?.message.contains("capctl session start") == true)
            let refusal = await passing(stage) { await stage.session.startRunning() }
            #expect(refusal == nil)
            #expect(await stage.session.condition.state == .running)
            #expect(await notices(stage, 3) == ["started", "stopped", "started"])
        }
    }

    @Test("Reports the start of a camera when it runs, or why it does not")
    func failedStart() async throws {
        let stage = try Stage(policy: SessionPolicy(standby: .onDemand)) { $0.faults = [VirtualFault(.busy)] }
        try await stage.run {
            let problem = await passing(stage) { await stage.session.startRunning() }
            #expect(problem?.code == .notRunning)
            #expect(problem?.message.contains("another program") == true)
            #expect(await notices(stage, 1) == ["interrupted inUseByAnotherClient"])
        }
    }

    @Test("Keeps a camera on standby closed while it is not needed, and says so to a shot")
    func onDemand() async throws {
        let stage = try Stage(policy: SessionPolicy(standby: .onDemand))
        try await stage.run {
            await stage.pass(.seconds(1))
            #expect(await stage.session.condition.state == .stopped)
            let problem = await stage.session.arm(stage.order(stage.now)).failure
            #expect(problem?.message.contains("standby") == true)
            #expect(await passing(stage) { await stage.session.need(.preview) } == nil)
            #expect(await stage.session.condition.session?.demands == [.preview])
            await stage.session.release(.preview)
            await stage.pass(until: .stopped, times: 2)
        }
    }

    @Test("Reports that a camera is unplugged, and that it is back")
    func interruption() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            let session = try #require(await stage.session.condition.session)
            #expect(session.phase == .interrupted && session.interruption == .deviceAbsent)
            #expect(session.readiness == .notRunning && !session.abilities.photo.isAllowed)
            await stage.pass(.seconds(30))
            stage.camera.faults.clear(.unplugged)
            await stage.session.deviceAppeared()
            let before = stage.clock.now()
            await stage.pass(until: .running, times: 2)
            #expect(stage.clock.now() - before < .milliseconds(200), "at once, and not at the next try")
            #expect(
                await notices(stage, 5) == [
                    "started", "interrupted deviceAbsent", "stopped", "ended deviceAbsent", "started",
                ])
        }
    }

    @Test("Reports a camera whose permission is taken away as forbidden")
    func revoked() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.denied))
            try stage.camera.faults.inject(VirtualFault(.unplugged, forSeconds: 0.5))
            await stage.pass(until: .denied)
            #expect(await stage.session.condition.session?.interruption == .accessRevoked)
            #expect(await stage.session.condition.session?.authorization == .denied)
            stage.camera.faults.clear(.denied)
            await stage.pass(until: .running, times: 2)
            #expect(await stage.session.condition.session?.authorization == .authorized)
        }
    }

    @Test("Gives up a camera that stalls again and again, until a person resumes it")
    func givenUp() async throws {
        let policy = SessionPolicy(stallTimeout: .milliseconds(500), failureLimit: 2)
        let stage = try Stage(policy: policy)
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.stalled))
            await stage.pass(until: .failed)
            await stage.pass(.milliseconds(1))
            #expect(await notices(stage, 5) == ["started", "error 1", "stopped", "error 2", "error"])
            #expect(await stage.session.condition.reason?.contains("capctl resume") == true)
            await stage.pass(.seconds(20))
            #expect(await stage.session.condition.session?.phase == .failed)
            stage.camera.faults.clear(.stalled)
            let problem = await passing(stage) { await stage.session.resume() }
            #expect(problem == nil)
            #expect(await stage.session.condition.state == .running)
        }
    }

    @Test("Shows a capture in the camera's readiness, and accepts more")
    func readiness() async throws {
        let stage = try Stage()
        try await stage.run {
            #expect(await stage.session.readiness == .notRunning)
            await stage.start()
            #expect(await stage.session.readiness == .ready)
            let order = stage.order(stage.now + .milliseconds(200))
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.recorder.wait(for: order.key) { $0 == .willCapturePhoto }
            #expect(await stage.session.readiness == .waitingForCapture)
            #expect(await stage.session.abilities.photo.isAllowed, "captures overlap")
            await stage.pass(.milliseconds(400))
            #expect(await firing.value.report != nil)
            #expect(await stage.session.readiness == .ready)
            let cost = try #require(await stage.session.cost)
            #expect(cost.encodePermille == 0 && cost.streamBytesPerSecond > 0 && cost.bus == nil)
        }
    }
}
