import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite struct FocusRunTests {
    private let pressed = LocalTime(nanoseconds: 0)

    /// Looks at a status after each interval, until focusing has ended.
    private func end(_ statuses: [Int64?], before: Int64?) -> (outcome: Refocus.Outcome, looks: Int)? {
        var run = FocusRun(before: before, pressed: pressed)
        for (index, status) in statuses.enumerated() {
            if let outcome = run.look(status, at: pressed + FocusRun.interval * index) { return (outcome, index + 1) }
        }
        return nil
    }

    @Test("Ends when the driver says so, and not with what it has said before")
    func ends() {
        #expect(end([1, 1, 2], before: 0)?.outcome == .reached)
        #expect(end([1, 4], before: 0)?.outcome == .failed)
        #expect(end([4], before: 2)?.outcome == .failed, "it was quicker than the first look")
        #expect(end([3, 2], before: 0)?.looks == 2, "it is still busy")
        #expect(end([2, 2, 2], before: 2) == nil, "it may not have begun")
        #expect(end([2, 1, 2], before: 2)?.looks == 3)
        #expect(end([1, nil, 0, 2], before: 0)?.looks == 4)
    }

    @Test("Is taken for ended, with nothing known, if the driver does not say so in time")
    func silent() {
        var run = FocusRun(before: nil, pressed: pressed)
        #expect(run.next == pressed + FocusRun.limit)
        #expect(run.look(nil, at: run.next) == .unknown)
        var stale = FocusRun(before: 2, pressed: pressed)
        #expect(stale.look(2, at: pressed + FocusRun.limit) == .unknown)
    }
}

@Suite struct RefocusingTests {
    private func change(_ seconds: Int, count: Int = 1) -> SceneChange {
        SceneChange(time: LocalTime(nanoseconds: 0) + .seconds(seconds), difference: 30, luma: 100, count: count)
    }

    @Test("At most one change waits, and it counts those before it")
    func waiting() {
        var refocusing = Refocusing()
        refocusing.sceneChanged(change(1))
        #expect(refocusing.waiting == nil, "it is off")
        refocusing.set(isOn: true)
        refocusing.sceneChanged(change(1))
        refocusing.sceneChanged(change(7, count: 2))
        #expect(refocusing.begin() == change(7, count: 3))
        #expect(refocusing.begin() == nil)
        refocusing.sceneChanged(change(8))
        #expect(refocusing.begin() == nil, "the button is being pressed")
        refocusing.refused()
        #expect(refocusing.waiting == change(8))
        refocusing.set(isOn: false)
        #expect(refocusing.waiting == nil)
    }

    @Test("The end of the stream cuts focusing off, and drops what waits")
    func streamEnded() {
        var refocusing = Refocusing()
        refocusing.set(isOn: true)
        refocusing.sceneChanged(change(1))
        #expect(refocusing.streamEnded() == nil && refocusing.waiting == nil)
        refocusing.sceneChanged(change(2))
        let begun = refocusing.begin()
        #expect(begun != nil)
        let now = LocalTime(nanoseconds: 5)
        let going = Refocusing.UnderWay(
            refocus: Refocus(change: change(2), outcome: .unknown, pressed: now),
            run: FocusRun(before: 0, pressed: now), number: 1, began: now, isSettled: true)
        let isGoing = refocusing.pressed(going)
        #expect(isGoing)
        #expect(refocusing.isDue(at: now))
        #expect(refocusing.look(1, position: 3, at: now) == nil && !refocusing.isDue(at: now))
        #expect(refocusing.streamEnded()?.refocus.outcome == .interrupted)
        #expect(refocusing.underWay == nil && refocusing.look(2, position: 3, at: now) == nil)
        refocusing.sceneChanged(change(9))
        #expect(refocusing.begin() != nil && refocusing.streamEnded() == nil)
        let isCutOff = !refocusing.pressed(going)
        #expect(isCutOff, "it ended while the button was pressed")
    }

    @Test("A camera without the button does not have the control")
    func control() {
        let button = DeviceControl(name: "auto_focus_start", kind: .button)
        #expect(Refocusing().control(beside: []) == nil)
        #expect(Refocusing().control(beside: [button])?.value == 0)
    }
}

/// Focusing of a virtual camera on the test's clock.
@Suite(.timeLimit(.minutes(10))) struct FocusTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)
    /// The button is pressed within a frame interval, so that at least one frame less is exposed during that time.
    private static let focusFrames = 8

    private func stage(_ configure: (inout VirtualCameraConfiguration) -> Void = { _ in }) throws -> Stage {
        try Stage {
            ($0.width, $0.height) = (1280, 720)
            $0.controls.focusFrames = Self.focusFrames
            configure(&$0)
        }
    }

    private func set(_ stage: Stage, _ id: SettingsID, _ text: String) async throws -> SettingsEffect {
        let preparation = try await stage.prepare(id, text)
        #expect(preparation.outcomes.refusals.isEmpty, "\(preparation)")
        return try await commit(stage, id)
    }

    /// Lets time pass until a transaction has its outcome.
    private func commit(_ stage: Stage, _ id: SettingsID) async throws -> SettingsEffect {
        let time = stage.now
        let isDone = Locked(false)
        let committing = Task(executorPreference: stage.executor) {
            defer { isDone.withLock { $0 = true } }
            return try await stage.commit(id, at: time)
        }
        while !isDone.withLock({ $0 }) { await stage.advance(frames: 1) }
        return try await committing.value
    }

    /// Lets the camera run until so many refocusings were told, and their frames are known.
    private func awaitRefocused(_ stage: Stage, _ count: Int) async {
        while refocused(stage).count < count { await look(stage, times: 1) }
        await stage.advance(frames: 4)
    }

    /// Another lamp before the camera.
    private func light(_ stage: Stage, _ mode: Int64) async throws {
        _ = try await #require(await stage.session.stream).setControls(["flash_led_mode": mode])
    }

    /// Lets the camera run until the scene has been judged so many times.
    private func look(_ stage: Stage, times count: Int) async {
        for _ in 0..<count {
            await stage.pass(.milliseconds(280))
            while await stage.session.sceneWatch?.isMeasuring == true {}
        }
    }

    private func notices(_ stage: Stage) -> [SettingsNotice] {
        stage.recorder.events.compactMap { if case .settings(_, let notice) = $0 { notice } else { nil } }
    }

    private func refocused(_ stage: Stage) -> [Refocus] {
        notices(stage).compactMap { if case .refocused(let refocus) = $0 { refocus } else { nil } }
    }

    // MARK: Once

    @Test("A camera that focuses once has the new focus from a frame on that was exposed when its driver had said so")
    func once() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "lensPosition=0.2")
            await stage.pass(.seconds(3))
            let before = try await stage.prepare(second, "focusMode=once")
            let earlier = try CaptureSettings(parsing: "driver.focus_absolute=200 driver.focus_automatic_continuous=0")
            #expect(before.earlier == earlier)
            let effect = try await commit(stage, second)
            #expect(effect.change.evidence == .status && effect.controls == ["focus_automatic_continuous": 0])
            let undecided = try #require(effect.change.undecidedFrames)
            #expect(undecided >= Self.focusFrames - 1, "\(undecided)")
            let new = try #require(effect.change.firstNew?.sequence)
            #expect(await stage.session.settings(at: new) == .inForce(second))
            #expect(await stage.session.settings(at: new - 1) == .changing(from: first, to: second))
            let present = try await stage.controls()
            #expect(present["auto_focus_status"] == 2 && present["focus_absolute"] != 200)
        }
    }

    @Test("What focusing once has found is not given to the camera again, and the button is not pressed again")
    func notKept() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "lensPosition=0.2 gain=raw:6")
            _ = try await set(stage, second, "focusMode=once")
            let kept = try await stage.spool.desired(of: stage.session.device.id)?.values
            #expect(kept == ["focus_automatic_continuous": 0, "gain": 6])
            let found = try await stage.controls()["focus_absolute"]
            await stage.pass(DesiredControls.checkInterval * 2)
            #expect(try await stage.controls()["focus_absolute"] == found)
            #expect(notices(stage).count == 2, "\(notices(stage))")
            _ = try await stage.session.carryOut(.undo, of: second)
            #expect(try await stage.controls()["focus_absolute"] == 200)
            #expect(try await stage.spool.desired(of: stage.session.device.id)?.values["focus_absolute"] == 200)
        }
    }

    @Test("A client that presses the button by name makes the position that was set unwanted")
    func byName() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "lensPosition=0.2")
            #expect(try await stage.session.setControls(["auto_focus_start": 1]).isEmpty)
            let kept = try await stage.spool.desired(of: stage.session.device.id)
            #expect(kept?.values == ["focus_automatic_continuous": 0] && kept?.revision == nil)
        }
    }

    @Test("Focusing that fails is told, frames stay undecided, and undo returns to the position before")
    func failure() async throws {
        let stage = try stage { $0.controls.focusFails = true }
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "lensPosition=0.2")
            _ = try await stage.prepare(second, "focusMode=once")
            let problem = await #expect(throws: RigProblem.self) {
                try await commit(stage, second)
            }
            #expect(problem?.message.contains("focusing has failed") == true, "\(String(describing: problem))")
            await stage.pass(.seconds(4))
            let newest = try #require(stage.tap.truth.last?.sequence)
            // What it changes from is known once the frames have settled after the first settings.
            let settings = try #require(await stage.session.settings(at: newest))
            #expect([.changing(from: nil, to: second), .changing(from: first, to: second)].contains(settings))
            _ = try await stage.session.carryOut(.undo, of: second)
            #expect(try await stage.controls()["focus_absolute"] == 200)
        }
    }

    @Test("A camera that does not stream, or is to be opened again, refuses to focus")
    func withoutStream() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            let both = try await stage.prepare(first, "focusMode=once format=MJPG:640x360")
            #expect(both.isRefused)
            await stage.session.stopRunning()
            let stopped = try await stage.prepare(second, "focusMode=once")
            #expect(stopped.isRefused && stopped.outcomes.description.contains("does not stream"))
        }
    }

    @Test("A button among settings that wait for the camera's start is not pressed then, and the settings are dropped")
    func deferredButton() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            await stage.session.stopRunning()
            #expect(try await stage.prepare(first, "driver.auto_focus_start=1 gain=raw:6").isDeferred)
            _ = try await stage.session.carryOut(.commit(at: stage.now), of: first)
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(until: .running, times: 2)
            #expect(await starting.value == nil)
            await stage.advance(frames: 4)
            let problems = notices(stage).compactMap { notice in
                if case .changed(first, .failure(let problem)) = notice { problem } else { nil }
            }
            #expect(problems.map(\.code) == [.unsupportedSettings])
            #expect(problems.first?.message.contains("auto_focus_start can be pressed only while it streams") == true)
            let controls = try await stage.controls()
            #expect(controls["gain"] == 0 && controls["auto_focus_status"] == 0)
            #expect(try await stage.spool.desired(of: stage.session.device.id)?.values.isEmpty != false)
        }
    }

    // MARK: On a change of the scene

    @Test("A camera whose scene changes focuses once, and says what it has found and which frames it concerns")
    func refocuses() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            let effect = try await set(stage, first, "focusMode=manual refocusOnSceneChange=on lensPosition=0.2")
            #expect(effect.controls["refocus_on_scene_change"] == 1)
            await look(stage, times: 12)
            #expect(refocused(stage).isEmpty)
            let before = try #require(stage.tap.truth.last?.sequence)
            try await light(stage, 2)
            await awaitRefocused(stage, 1)
            let refocus = try #require(refocused(stage).first)
            #expect(refocused(stage).count == 1 && stage.recorder.sceneChanges.isEmpty, "reports are not enabled")
            #expect(refocus.outcome == .reached && refocus.positionBefore == 200 && refocus.change.difference > 24)
            let found = try await stage.controls()["focus_absolute"]
            #expect(refocus.positionAfter == found && found != 200)
            let kept = try await stage.spool.desired(of: stage.session.device.id)
            #expect(kept?.values == ["focus_automatic_continuous": 0, "refocus_on_scene_change": 1])
            #expect(kept?.revision == nil, "the position is no longer that of the transaction")
            let newest = try #require(stage.tap.truth.last?.sequence)
            var changing = 0
            for sequence in before...newest {
                guard case .changing? = await stage.session.settings(at: sequence) else { continue }
                changing += 1
            }
            #expect(changing >= Self.focusFrames - 1, "\(changing)")
            #expect(await stage.session.settings(at: before) == .inForce(first))
            #expect(await stage.session.settings(at: newest) == nil)
            await stage.pass(DesiredControls.checkInterval * 2)
            #expect(try await stage.controls()["focus_absolute"] == found, "nothing fights what was found")
        }
    }

    @Test("The settings stay in force around a refocusing if they have not set the lens")
    func inForce() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "focusMode=manual refocusOnSceneChange=on")
            await look(stage, times: 12)
            try await light(stage, 2)
            await awaitRefocused(stage, 1)
            #expect(refocused(stage).map(\.outcome) == [.reached])
            let newest = try #require(stage.tap.truth.last?.sequence)
            #expect(await stage.session.settings(at: newest) == .inForce(first))
        }
    }

    @Test("A refocusing waits until a transaction or a still that needs the camera has ended")
    func waits() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "focusMode=manual refocusOnSceneChange=on")
            await look(stage, times: 12)
            _ = try await stage.prepare(second, "gain=raw:6")
            try await light(stage, 2)
            await look(stage, times: 8)
            #expect(refocused(stage).isEmpty)
            _ = try await stage.session.carryOut(.undo, of: second)
            await awaitRefocused(stage, 1)
            #expect(refocused(stage).count == 1)
            await look(stage, times: 20)
            let order = stage.order(stage.now + .seconds(4))
            _ = try await stage.session.arm(order).get()
            try await light(stage, 0)
            await look(stage, times: 10)
            #expect(refocused(stage).count == 1, "the still is armed")
            let firing = Task { await stage.session.fire(order.key) }
            await awaitRefocused(stage, 2)
            let report = try #require(await firing.value.report)
            #expect(report.timing.settings == .inForce(first), "\(report)")
            #expect(refocused(stage).count == 2)
        }
    }

    @Test("A camera that is switched to focus by itself, or does not focus, is left alone")
    func leftAlone() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            _ = try await set(stage, first, "focusMode=auto refocusOnSceneChange=on")
            await look(stage, times: 12)
            try await light(stage, 2)
            await look(stage, times: 8)
            #expect(refocused(stage).isEmpty, "it focuses continuously")
            _ = try await set(stage, second, "focusMode=manual refocusOnSceneChange=off")
            await look(stage, times: 20)
            try await light(stage, 0)
            await look(stage, times: 8)
            #expect(refocused(stage).isEmpty)
            #expect(await stage.session.sceneWatch == nil)
        }
    }

    @Test("Only a camera with the button has the setting, and only a value that it has")
    func refused() async throws {
        let without = try Stage()
        try await without.run {
            await without.start()
            let preparation = try await without.prepare(first, "refocusOnSceneChange=on")
            #expect(preparation.outcomes.description.contains("auto_focus_start"), "\(preparation)")
            let problem = await #expect(throws: RigProblem.self) {
                try await without.session.setControls(["refocus_on_scene_change": 1])
            }
            #expect(problem?.code == .unsupportedSettings)
        }
        let with = try stage()
        try await with.run {
            await with.start()
            let problem = await #expect(throws: RigProblem.self) {
                try await with.session.setControls(["refocus_on_scene_change": 2, "gain": 3])
            }
            #expect(problem?.code == .unsupportedSettings)
            #expect(try await with.controls()["gain"] == 0)
            let effect = try await set(with, first, "refocusOnSceneChange=on")
            #expect(effect.change.evidence == .unchanged, "no picture changes")
        }
    }
}
