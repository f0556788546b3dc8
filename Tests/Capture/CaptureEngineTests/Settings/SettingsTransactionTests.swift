import CaptureModel
import Testing
import VirtualDevices

@testable import CaptureEngine

/// The steps of settings transactions of a virtual camera on the test's clock: refused, repeated, undone, cut off.
@Suite(.timeLimit(.minutes(10))) struct SettingsTransactionTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)

    @Test("Controls by name that the camera refuses change the settings of no frame")
    func refusedByName() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=4ms")
            _ = try await stage.commit(first)
            await expectProblem(.unsupportedSettings) {
                _ = try await stage.session.setControls(["no_such_control": 1])
            }
            await stage.advance(frames: 2)
            let newest = try #require(stage.tap.truth.last)
            #expect(await stage.session.settings(at: newest.sequence) == .inForce(first))
        }
    }

    @Test("Undoing puts back the earlier values, also an automatic mode")
    func undone() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.session.setControls(["auto_exposure": 0])
            _ = try await stage.prepare(first, "exposure=4ms gain=6dB")
            _ = try await stage.commit(first)
            #expect(try await stage.controls()["auto_exposure"] == 1)
            try await stage.undo(first)
            let after = try await stage.controls()
            #expect(after["auto_exposure"] == 0 && after["gain"] == 0)
            #expect(stage.tap.sets.last == ["auto_exposure": 0, "gain": 0])
            await expectProblem(.cancelled) { _ = try await stage.commit(first, at: stage.now) }
            try await stage.undo(first)
            #expect(stage.tap.sets.count == 3, "undone once")
        }
    }

    @Test("Undoing before T sets nothing, and ends the commit")
    func undoneBefore() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            await expectProblem(.expired) { try await stage.undo(first) }
            _ = try await stage.prepare(first, "gain=6dB")
            let time = stage.now + .milliseconds(300)
            let committing = Task(executorPreference: stage.executor) { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(100))
            try await stage.undo(first)
            await expectProblem(.cancelled) { _ = try await committing.value }
            await stage.pass(.milliseconds(400))
            #expect(stage.tap.sets.isEmpty)
            _ = try await stage.prepare(second, "gain=6dB")
        }
    }

    @Test("Carries out a repeated step once, and answers each")
    func repeated() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let answers = try await (stage.prepare(first, "gain=6dB"), stage.prepare(first, "gain=6dB"))
            #expect(answers.0 == answers.1)
            await expectProblem(.conflict) { _ = try await stage.prepare(first, "gain=5dB") }
            let time = stage.now + .milliseconds(300)
            let committing = (0..<3).map { _ in Task { try await stage.commit(first, at: time) } }
            await stage.pass(.seconds(1))
            var effects: Set<SettingsEffect> = []
            for task in committing { effects.insert(try await task.value) }
            effects.insert(try await stage.commit(first, at: time))
            #expect(effects.count == 1)
            #expect(stage.tap.sets == [["gain": 6]])
        }
    }

    @Test("Refuses a format and a control that the camera does not have, and sets nothing")
    func refused() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let stream = try await stage.prepare(first, "gain=6dB format=YUYV:640x480")
            #expect(stream.outcomes.refusals.map(\.entry.name) == ["format"])
            #expect(stream.outcomes.refusals.first?.description.contains("does not offer it") == true)
            let absent = try await stage.prepare(second, "driver.hue=3")
            #expect(absent.isRefused)
            await expectProblem(.unsupportedSettings) { _ = try await stage.commit(first, at: stage.now + .seconds(1)) }
            await expectProblem(.expired) { _ = try await stage.commit(.sample(3), at: stage.now + .seconds(1)) }
            #expect(stage.tap.sets.isEmpty)
        }
    }

    @Test("Refuses T that has passed, and a node that does not know the rig's time")
    func time() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "gain=6dB")
            await expectProblem(.tooSoon) { _ = try await stage.commit(first, at: stage.now - .milliseconds(200)) }
            #expect(stage.tap.sets.isEmpty)
            _ = try await stage.prepare(second, "gain=6dB")
            stage.rig.lose()
            await expectProblem(.unsynchronized) { _ = try await stage.commit(second, at: stage.now) }
            #expect(stage.tap.sets.isEmpty)
        }
    }

    @Test("Forgets what it had prepared when the stream ends")
    func notRunning() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "gain=6dB")
            await stage.session.stopRunning()
            await expectProblem(.expired, "stream") { _ = try await stage.commit(first, at: stage.now + .seconds(1)) }
        }
    }

    @Test("A camera that is lost while its change is confirmed may be set")
    func unplugged() async throws {
        let stage = try Stage(cameras: .slow)
        try await stage.run {
            await stage.start()
            #expect(try await stage.prepare(first, "driver.integer_64_bits=7").lead == Stage.period * 15)
            let time = stage.now + .milliseconds(700)
            let committing = Task(executorPreference: stage.executor) { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(400))
            #expect(stage.tap.sets.count == 1)
            #expect(await stage.session.abilities.switchInput.isAllowed == false)
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            await expectProblem(.deviceLost, "may be set") { _ = try await committing.value }
            await expectProblem(.deviceLost) { try await stage.undo(first) }
        }
    }

    @Test("Undoing while a change is confirmed puts it back at once")
    func undoneMeanwhile() async throws {
        let stage = try Stage(cameras: .slow)
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "driver.integer_64_bits=7")
            let time = stage.now + .milliseconds(700)
            let committing = Task(executorPreference: stage.executor) { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(400))
            try await stage.undo(first)
            await expectProblem(.cancelled) { _ = try await committing.value }
            #expect(stage.tap.sets == [["integer_64_bits": 7], ["integer_64_bits": 0]])
        }
    }

    @Test("The end of the session ends a commit that waits")
    func ending() async throws {
        let stage = try Stage()
        let committing = try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "gain=6dB")
            let time = stage.now + .seconds(10)
            let committing = Task(executorPreference: stage.executor) { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(100))
            return committing
        }
        await expectProblem(.deviceLost, "nothing was set") { _ = try await committing.value }
        #expect(stage.tap.sets.isEmpty)
    }
}
