import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct SceneMonitoringTests {
    private func stage(_ settings: SceneChangeSettings?) throws -> Stage {
        try Stage(policy: SessionPolicy(sceneChange: settings)) { ($0.width, $0.height) = (1280, 720) }
    }

    /// Lets the camera run until the scene has been judged so many times.
    private func look(_ stage: Stage, times count: Int) async {
        for _ in 0..<count {
            await stage.pass(.milliseconds(280))
            // Until what was handed over has been measured and judged.
            while await stage.session.sceneWatch?.isMeasuring == true {}
        }
    }

    @Test("A light that goes on is not told of, or a scene that only moves is called another one")
    func light() async throws {
        let stage = try stage(SceneChangeSettings())
        try await stage.run {
            await stage.start()
            await look(stage, times: 12)
            #expect(stage.recorder.sceneChanges.isEmpty)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 4)
            let change = try #require(stage.recorder.sceneChanges.first)
            #expect(stage.recorder.sceneChanges.count == 1)
            // Half as much light again, on a luma of 16 to 235 whose mean is near 110.
            #expect((35...60).contains(change.difference) && change.count == 1, "\(change)")
            #expect((140...180).contains(change.luma), "\(change)")
            await look(stage, times: 12)
            #expect(stage.recorder.sceneChanges.count == 1)
        }
    }

    @Test("A camera whose scene nobody asked about is looked at, or switching that on or off has no effect")
    func onAndOff() async throws {
        let stage = try stage(nil)
        try await stage.run {
            await stage.start()
            #expect(await stage.session.isSceneChangeMonitoringEnabled == false)
            await look(stage, times: 8)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 4)
            #expect(stage.recorder.sceneChanges.isEmpty)
            await stage.session.setSceneChangeMonitoring(SceneChangeSettings())
            await look(stage, times: 8)
            #expect(stage.recorder.sceneChanges.isEmpty, "what it was before nobody has seen")
            _ = try await stage.session.setControls(["flash_led_mode": 0])
            await look(stage, times: 4)
            #expect(stage.recorder.sceneChanges.count == 1)
            await stage.session.setSceneChangeMonitoring(nil)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 8)
            #expect(stage.recorder.sceneChanges.count == 1)
        }
    }

    @Test("A picture with flash is told as a change of its own scene")
    func flash() async throws {
        let stage = try stage(SceneChangeSettings())
        try await stage.run {
            await stage.start()
            await look(stage, times: 8)
            let settings = PhotoSettings(
                flash: .on, bracket: [2, 8, 24].map { BracketStep(exposureNanoseconds: $0 * 1_000_000) })
            let order = stage.order(stage.now + .milliseconds(400), settings: settings)
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await look(stage, times: 12)
            #expect(await firing.value.report != nil)
            #expect(stage.recorder.sceneChanges.isEmpty)
        }
    }
}
