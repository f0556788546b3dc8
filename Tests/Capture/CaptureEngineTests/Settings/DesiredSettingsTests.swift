import CameraKit
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// What a camera is to have, on the test's clock.
@Suite(.timeLimit(.minutes(10))) struct DesiredSettingsTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)

    private func set(_ stage: Stage, _ id: SettingsID, _ text: String) async throws {
        _ = try await stage.prepare(id, text)
        _ = try await stage.commit(id, in: .zero, for: .milliseconds(500))
    }

    /// Sets a control as another program does.
    private func meddle(_ stage: Stage, _ values: [String: Int64]) async throws {
        _ = try await #require(await stage.session.stream).setControls(values)
    }

    private func notices(_ stage: Stage) -> [SettingsNotice] {
        stage.recorder.events.compactMap { if case .settings(_, let notice) = $0 { notice } else { nil } }
    }

    @Test("A camera that another program has changed gets its settings again, and both values are told")
    func drift() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try await set(stage, first, "gain=raw:6")
            await stage.pass(DesiredControls.checkInterval * 2)
            #expect(notices(stage).count == 1, "nothing has changed")
            let before = try #require(stage.tap.truth.last?.sequence)
            try await meddle(stage, ["gain": 2, "integer_64_bits": 5])
            await stage.pass(DesiredControls.checkInterval + .seconds(1))
            let present = try await stage.controls()
            #expect(present["gain"] == 6 && present["integer_64_bits"] == 5, "nobody has desired this one")
            let difference = ControlDifference(control: "gain", desired: 6, found: 2)
            #expect(notices(stage).dropFirst() == [.drifted(first, [difference], count: 1)])
            let newest = try #require(stage.tap.truth.last)
            #expect(newest.gain == 6)
            #expect(await stage.session.settings(at: newest.sequence) == .inForce(first))
            #expect(await stage.session.settings(at: before + 1) == .changing(from: first, to: first))
            try await meddle(stage, ["gain": 3])
            await stage.pass(.seconds(3))
            #expect(try await stage.controls()["gain"] == 3, "two programs do not set a camera all the time")
            await stage.pass(DesiredControls.driftInterval)
            #expect(try await stage.controls()["gain"] == 6)
        }
    }

    @Test("A camera that is opened with other values is set before its first frame, and each frame says what it has")
    func restored() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try await set(stage, first, "gain=raw:6 exposure=4ms")
            await stage.session.stopRunning()
            try stage.camera.reconfigure { ($0.exposureMilliseconds, $0.gainDecibels) = (8, 0) }
            let count = stage.tap.truth.count
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(until: .running, times: 2)
            #expect(await starting.value == nil)
            await stage.advance(frames: 4)
            let frames = stage.tap.truth.dropFirst(count)
            // The camera may begin the first frame as it is opened.
            #expect(frames.dropFirst().allSatisfy { $0.gain == 6 && $0.exposure == .milliseconds(4) }, "\(frames)")
            let begun = await stage.session.settings(at: 0)
            #expect(begun == (frames.first?.gain == 6 ? .inForce(first) : .changing(from: nil, to: first)))
            guard case .restored(first, let differences)? = notices(stage).last else {
                Issue.record("\(notices(stage))")
                return
            }
            #expect(differences.map(\.control).contains("gain"))
            let newest = try #require(frames.last?.sequence)
            #expect(await stage.session.settings(at: newest) == .inForce(first))
        }
    }

    @Test("Undoing returns to what was desired before")
    func undone() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try await set(stage, first, "gain=raw:6")
            try await set(stage, second, "gain=raw:9")
            _ = try await stage.session.carryOut(.undo, of: second)
            #expect(try await stage.spool.desired(of: stage.session.device.id)?.values == ["gain": 6])
            await stage.pass(DesiredControls.checkInterval * 2)
            #expect(try await stage.controls()["gain"] == 6)
            let newest = try #require(stage.tap.truth.last?.sequence)
            #expect(await stage.session.settings(at: newest) == .inForce(first))
        }
    }

    @Test("What the camera is to have is told as settings that give it the same values again")
    func held() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            #expect(try await stage.session.heldSettings().settings == CaptureSettings())
            try await set(stage, first, "gain=raw:6 exposure=4ms")
            let held = try await stage.session.heldSettings()
            let expected = try CaptureSettings(
                parsing: "driver.auto_exposure=1 driver.exposure_time_absolute=40 driver.gain=6")
            #expect(held.settings == expected && held.revision == first && held.waiting.isEmpty)
            #expect(held.make == "Caprig" && held.model != nil)
            let before = try await stage.prepare(second, "gain=raw:2 exposureMode=auto")
            #expect(try before.earlier == CaptureSettings(parsing: "driver.auto_exposure=1 driver.gain=6"))
            try await set(stage, second, "gain=raw:2 exposureMode=auto")
            try await set(stage, .sample(3), "\(held.settings)")
            let present = try await stage.controls()
            #expect(present["gain"] == 6 && present["exposure_time_absolute"] == 40 && present["auto_exposure"] == 1)
            #expect(try await stage.session.heldSettings().settings == expected)
            await stage.session.stopRunning()
            _ = try await stage.prepare(.sample(4), "gain=raw:1")
            _ = try await stage.session.carryOut(.commit(at: stage.now), of: .sample(4))
            #expect(try await stage.session.heldSettings().waiting == [.sample(4)])
        }
    }

    @Test("A control that a client sets by name stays as the client has set it")
    func byName() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try await set(stage, first, "gain=raw:6")
            _ = try await stage.session.setControls(["gain": 3])
            await stage.pass(DesiredControls.checkInterval * 2)
            #expect(try await stage.controls()["gain"] == 3)
            #expect(try await stage.spool.desired(of: stage.session.device.id)?.revision == nil)
        }
    }

    @Test("Settings of a camera that does not stream wait for its start")
    func deferred() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            await stage.session.stopRunning()
            let preparation = try await stage.prepare(first, "gain=raw:6")
            #expect(preparation == SettingsPreparation(outcomes: [], isDeferred: true))
            let answer = try await stage.session.carryOut(.commit(at: stage.now), of: first)
            guard case .deferred(let problem) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(problem.code == .notRunning && problem.message.contains("when it starts"))
            #expect(try await stage.session.carryOut(.commit(at: stage.now), of: first) == answer, "again")
            // Those of the second are undone before they have begun, those of the third are refused at the start.
            _ = try await stage.prepare(second, "gain=raw:9")
            _ = try await stage.session.carryOut(.commit(at: stage.now), of: second)
            #expect(try await stage.session.carryOut(.undo, of: second) == .undone)
            _ = try await stage.prepare(.sample(3), "driver.nonsense=1")
            _ = try await stage.session.carryOut(.commit(at: stage.now), of: .sample(3))
            #expect(
                try await stage.spool.desired(of: stage.session.device.id)?.deferred.map(\.id) == [first, .sample(3)])
            let count = stage.tap.truth.count
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(until: .running, times: 2)
            #expect(await starting.value == nil)
            await stage.advance(frames: 4)
            #expect(stage.tap.truth.dropFirst(count + 1).allSatisfy { $0.gain == 6 })
            let refused = notices(stage).contains {
                if case .changed(.sample(3), .failure(let problem)) = $0 {
                    problem.code == .unsupportedSettings
                } else {
                    false
                }
            }
            #expect(refused, "\(notices(stage))")
            let desired = try await stage.spool.desired(of: stage.session.device.id)
            #expect(desired?.values == ["gain": 6] && desired?.deferred == [] && desired?.revision == first)
            let late = await #expect(throws: RigProblem.self) { try await stage.session.carryOut(.undo, of: first) }
            #expect(late?.code == .conflict)
        }
    }

    @Test("A transaction that was given up before the camera was set is never prepared, also by the agent's next run")
    func givenUp() async throws {
        let stage = try Stage()
        let device = stage.session.device.id
        // What an earlier run has stored.
        try await stage.spool.keepDesired(
            DesiredSettings(revision: nil, make: nil, model: nil, values: [:], givenUp: [second]), of: device)
        try await stage.run {
            await stage.start()
            await expectProblem(.cancelled, "use another id") { _ = try await stage.prepare(second, "gain=raw:6") }
            _ = try await stage.prepare(first, "gain=raw:6")
            #expect(try await stage.session.carryOut(.giveUp, of: first) == .undone)
            await expectProblem(.cancelled) { _ = try await stage.prepare(first, "gain=raw:6") }
            #expect(try await stage.spool.desired(of: device)?.givenUp == [second, first])
            // Its controls are free, and what was set is put back and may be prepared again.
            try await set(stage, .sample(3), "gain=raw:6")
            #expect(try await stage.session.carryOut(.giveUp, of: .sample(3)) == .undone)
            #expect(try await !stage.prepare(.sample(3), "gain=raw:6").isRefused)
            #expect(try await stage.spool.desired(of: device)?.givenUp == [second, first])
            await stage.session.stopRunning()
            #expect(try await stage.prepare(.sample(4), "gain=raw:6").isDeferred)
            #expect(try await stage.session.carryOut(.giveUp, of: .sample(4)) == .undone)
            await expectProblem(.cancelled) { _ = try await stage.prepare(.sample(4), "gain=raw:6") }
            #expect(stage.tap.sets.count == 2)
        }
    }

    @Test("An undo puts back what was set, also where the camera did not stream when it was prepared")
    func undoneAfterDeferral() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let before = try #require(try await stage.controls()["gain"])
            try await set(stage, first, "gain=raw:6")
            await stage.session.stopRunning()
            #expect(try await !stage.prepare(first, "gain=raw:6").isDeferred, "it was set")
            await #expect(throws: RigProblem.self) { try await stage.session.carryOut(.undo, of: first) }
            #expect(try await stage.prepare(second, "gain=raw:9").isDeferred)
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(until: .running, times: 2)
            #expect(await starting.value == nil)
            _ = try await stage.commit(second, in: .zero, for: .milliseconds(500))
            #expect(try await stage.controls()["gain"] == 9)
            for (id, earlier) in [(second, 6), (first, before)] {
                #expect(try await stage.session.carryOut(.undo, of: id) == .undone)
                #expect(try await stage.controls()["gain"] == earlier)
            }
        }
    }

    @Test("A format of a camera that does not stream is refused at once")
    func deferredFormat() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            await stage.session.stopRunning()
            let preparation = try await stage.prepare(first, "format=MJPG:640x360")
            #expect(preparation.isRefused)
            #expect(
                try await stage.prepare(second, "whiteBalanceTint=-10").isRefused, "no camera has it")
        }
    }

    @Test("Where an automatic mode was set by name, the values that it chooses are no longer desired")
    func automatic() throws {
        var desired = DesiredControls()
        desired.set(["exposure_time_absolute": 40, "gain": 6], by: first, replacing: first, make: nil, model: nil)
        var exposure = DeviceControl(
            name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, step: 1, defaultValue: 80,
            value: 77)
        exposure.isInactive = true
        #expect(
            desired.differences(from: [exposure], make: nil, model: nil) == [],
            "the camera chooses it in a mode that nobody has desired")
        let isChanged = desired.setByName(["auto_exposure": 3])
        #expect(isChanged && desired.settings?.values == ["gain": 6] && desired.settings?.revision == nil)
        desired.set(
            ["auto_exposure": 1, "exposure_time_absolute": 40], by: second, replacing: second, make: nil, model: nil)
        let mode = DeviceControl(
            name: "auto_exposure", kind: .menu, minimum: 0, maximum: 3, step: 1, defaultValue: 3, value: 3)
        #expect(
            desired.differences(from: [exposure, mode], make: nil, model: nil).map(\.control) == [
                "auto_exposure", "exposure_time_absolute",
            ],
            "the mode is set with it")
        #expect(desired.differences(from: [exposure, mode], make: nil, model: "Other") == [], "of another camera")
    }

    @Test("A transaction that a later one has followed is not undone alone")
    func replaced() {
        var desired = DesiredControls()
        desired.set(["gain": 6], by: first, replacing: first, make: nil, model: nil)
        desired.set(["gain": 9], by: second, replacing: second, make: nil, model: nil)
        #expect(desired.isReplaced(first) && !desired.isReplaced(second) && !desired.isReplaced(.sample(9)))
    }

    @Test("Values that an automatic mode chooses are not desired, and of too many that wait the newest is refused")
    func values() throws {
        var desired = DesiredControls()
        desired.set(
            ["auto_exposure": 1, "exposure_time_absolute": 40, "gain": 6], by: first, replacing: first, make: nil,
            model: nil)
        desired.set(["auto_exposure": 0], by: second, replacing: second, make: nil, model: nil)
        #expect(desired.settings?.values == ["auto_exposure": 0, "gain": 6])
        desired.undo(second, puttingBack: [:])
        #expect(desired.settings?.values["exposure_time_absolute"] == 40 && desired.settings?.revision == first)
        let settings = try CaptureSettings(parsing: "gain=raw:6")
        let accepted = (0...DesiredSettings.deferredLimit).map {
            desired.add(DeferredSettings(id: .sample($0), settings: settings))
        }
        #expect(accepted == Array(repeating: true, count: DesiredSettings.deferredLimit) + [false])
    }
}
