import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// A session whose camera is aligned, on the test's clock.
@Suite("Aligning a session's camera", .timeLimit(.minutes(10))) struct AlignmentTests {
    private static let grid = PhaseGrid(interval: Stage.period)

    /// Requests an alignment, and lets the camera expose until it is answered.
    private func align(_ stage: Stage, _ request: AlignmentRequest? = AlignmentRequest()) async -> CameraAlignment? {
        let done = Observed(false)
        let aligning = Task(executorPreference: stage.executor) {
            await stage.session.align(request)
            done.change { $0 = true }
        }
        while !done.value { await stage.advance(frames: 1) }
        await aligning.value
        return await stage.session.alignment
    }

    /// How late the frames were that the camera exposed last.
    private func lateness(_ stage: Stage, last count: Int) -> [Duration] {
        stage.tap.truth.suffix(count).map { frame in
            Self.grid.lateness(of: RigTime(nanoseconds: frame.midExposure.nanoseconds) + .seconds(7200))
        }
    }

    @Test func `A drifting camera exposes at multiples of its interval in rig time, and stays there`() async throws {
        let stage = try Stage { ($0.phaseMilliseconds, $0.driftPPM) = (13, 80) }
        try await stage.run {
            await stage.start()
            #expect(await stage.session.alignment == nil)
            let aligned = try #require(await align(stage))
            #expect(aligned.state == .aligned && aligned.reason == nil && aligned.corrections > 0)
            #expect(aligned.boundNanoseconds == 250_000, "the rig clock's bound and the stamp's")
            await stage.advance(frames: 500)
            #expect(lateness(stage, last: 400).allSatisfy { $0.magnitude < .microseconds(60) })
            let later = try #require(await stage.session.alignment)
            #expect(later.corrections > aligned.corrections && later.restarts == 0)
            // No frame is lost by it.
            let numbers = stage.tap.truth.map(\.sequence)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
    }

    @Test func `The rig's time is followed when the node learns that it was wrong`() async throws {
        let stage = try Stage { $0.phaseMilliseconds = 5 }
        try await stage.run {
            await stage.start()
            #expect(await align(stage)?.state == .aligned)
            stage.rig.learn(.milliseconds(-9))
            await stage.advance(frames: 60)
            let late = lateness(stage, last: 20).map { Self.grid.shortest($0 - .milliseconds(9)) }
            #expect(late.allSatisfy { $0.magnitude < .microseconds(60) })
            stage.rig.lose()
            await stage.advance(frames: 20)
            let lost = try #require(await stage.session.alignment)
            #expect(lost.state == .aligning && lost.reason == "its node has no clock estimate")
        }
    }

    @Test func `A camera that was stopped is aligned again when it runs, until the alignment is ended`() async throws {
        let stage = try Stage { $0.phaseMilliseconds = 17 }
        try await stage.run {
            await stage.start()
            #expect(await align(stage)?.state == .aligned)
            await stage.session.stopRunning()
            #expect(await stage.session.alignment?.reason == "it does not stream")
            // A request for a camera that does not stream is answered at once, and kept.
            await stage.session.align(AlignmentRequest())
            let start = Task { await stage.session.startRunning() }
            await stage.advance(frames: 80)
            _ = await start.value
            #expect(await stage.session.alignment?.state == .aligned)
            #expect(lateness(stage, last: 20).allSatisfy { $0.magnitude < .microseconds(60) })

            #expect(await align(stage, nil) == nil)
            try stage.camera.reconfigure { $0.phaseMilliseconds = 3 }
            await stage.advance(frames: 80)
            #expect(lateness(stage, last: 20).allSatisfy { $0.magnitude > .milliseconds(1) })
        }
    }

    @Test func `A camera that only a restart moves is restarted until its phase fits`() async throws {
        let stage = try Stage { ($0.phaseMilliseconds, $0.phaseControl) = (13, .restart) }
        try await stage.run {
            await stage.start()
            let refused = try #require(await align(stage))
            #expect(refused.state == .unmovable && refused.restarts == 0 && refused.latenessNanoseconds != nil)
            let request = AlignmentRequest(tolerance: .milliseconds(6), restartBudget: .seconds(120))
            let aligned = try #require(await align(stage, request))
            #expect(aligned.state == .aligned && aligned.restarts > 0 && aligned.corrections == 0)
            #expect(lateness(stage, last: 4).allSatisfy { $0.magnitude <= .milliseconds(6) })
        }
    }

    @Test func `A camera that nothing moves is reported with its phase at once`() async throws {
        let stage = try Stage { ($0.phaseMilliseconds, $0.phaseControl) = (4, .none) }
        try await stage.run {
            await stage.start()
            let first = try #require(await align(stage))
            #expect(first.state == .unmovable && first.reason?.contains("phaseControl: none") == true)
            await stage.advance(frames: 20)
            #expect(await stage.session.alignment?.latenessNanoseconds == 4_000_000)
        }
    }

    @Test func `A session whose policy says so is aligned without a request`() async throws {
        let stage = try Stage(policy: SessionPolicy(alignment: AlignmentRequest())) { $0.phaseMilliseconds = 6 }
        try await stage.run {
            await stage.start()
            await stage.advance(frames: 60)
            #expect(await stage.session.alignment?.state == .aligned)
            #expect(lateness(stage, last: 20).allSatisfy { $0.magnitude < .microseconds(60) })
        }
    }

    @Test func `A camera is moved far only when no capture is in progress`() async throws {
        let stage = try Stage { $0.phaseMilliseconds = 9 }
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .seconds(3))
            let armed = Task { await stage.session.arm(order) }
            await stage.advance(frames: 2)
            #expect(await armed.value.failure == nil)
            let waiting = Task(executorPreference: stage.executor) { await stage.session.align(AlignmentRequest()) }
            await stage.advance(frames: 40)
            let held = try #require(await stage.session.alignment)
            #expect(held.state == .aligning && held.corrections == 0)
            #expect(held.reason?.contains("captures are in progress") == true)
            await stage.session.cancel(order.key)
            await stage.advance(frames: 60)
            await waiting.value
            #expect(await stage.session.alignment?.state == .aligned)
        }
    }
}

extension CaptureSession {
    /// How well the camera is aligned.
    var alignment: CameraAlignment? { core.sessionCondition.alignment }
}
