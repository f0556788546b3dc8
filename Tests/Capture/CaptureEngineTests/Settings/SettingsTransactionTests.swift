import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Settings transactions of a virtual camera on the test's clock.
@Suite(.timeLimit(.minutes(1))) struct SettingsTransactionTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)

    private func commit(
        _ stage: Stage, _ id: SettingsID, in ahead: Duration = .milliseconds(300), for duration: Duration = .seconds(1)
    ) async throws -> SettingsEffect {
        try await stage.commit(id, in: ahead, for: duration)
    }

    private func undo(_ stage: Stage, _ id: SettingsID) async throws {
        let result = try await stage.session.carryOut(.undo, of: id)
        #expect(result == .undone)
    }

    private func expect(
        _ code: CaptureProblem.Code, _ words: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let problem = await #expect(throws: CaptureProblem.self, sourceLocation: sourceLocation) { try await body() }
        #expect(problem?.code == code, "\(String(describing: problem))", sourceLocation: sourceLocation)
        #expect(
            words.isEmpty || problem?.message.contains(words) == true, "\(String(describing: problem))",
            sourceLocation: sourceLocation)
    }

    /// Compares a reported change with what the camera has exposed, and returns the number of undecided frames.
    @discardableResult
    private func expectTruth(
        _ effect: SettingsEffect, _ stage: Stage, old: (Duration, Int64), new: (Duration, Int64)
    ) throws -> UInt64 {
        let lastOld = try #require(effect.change.lastOld)
        let firstNew = try #require(effect.change.firstNew)
        var (olds, news) = (0, 0)
        for frame in stage.tap.truth {
            if frame.sequence <= lastOld.sequence {
                olds += 1
                #expect(frame.exposure == old.0 && frame.gain == old.1, "\(frame)")
            } else if frame.sequence >= firstNew.sequence {
                news += 1
                #expect(frame.exposure == new.0 && frame.gain == new.1, "\(frame)")
            }
            for mark in [lastOld, firstNew] where mark.sequence == frame.sequence {
                let mid = try #require(stage.rig.rigTime(at: frame.midExposure))
                #expect(mark.midExposure.time == mid.time && mark.midExposure.bound == mid.bound + frame.stampBound)
            }
        }
        #expect(olds > 2 && news > 2)
        return try #require(effect.change.undecidedFrames)
    }

    @Test("Sets exposure and gain at T, and says at which frame, by what the frames state", arguments: 0..<8)
    func metadata(phase: Int) async throws {
        let stage = try Stage { $0.phaseMilliseconds = Double(phase) * 5 }
        try await stage.run {
            await stage.start()
            let preparation = try await stage.prepare(first, "exposure=4ms gain=6dB")
            #expect(
                preparation.outcomes.map(\.description) == ["exposureDuration is set to 4ms", "gain is set to 6dB"])
            #expect(preparation.lead == .milliseconds(20))
            #expect(try await stage.controls()["gain"] == 0)
            let time = stage.now + .milliseconds(300)
            let effect = try await commit(stage, first)
            #expect(effect.change.evidence == .metadata)
            #expect(effect.controls == ["auto_exposure": 1, "exposure_time_absolute": 40, "gain": 6])
            #expect(try expectTruth(effect, stage, old: (.milliseconds(8), 0), new: (.milliseconds(4), 6)) == 0)
            let firstNew = try #require(effect.change.firstNew)
            // The lead is half an interval; the camera acts with the next frame or the one after it.
            #expect((firstNew.midExposure.time - time).magnitude <= Stage.period * 3 / 2)
            let notices = stage.recorder.events.compactMap {
                if case .settings(_, let notice) = $0 { notice } else { nil }
            }
            #expect(notices == [.changed(first, .success(effect))])
            #expect(await stage.session.settings(at: firstNew.sequence) == .inForce(first))
            #expect(await stage.session.settings(at: firstNew.sequence - 1) == nil)
        }
    }

    @Test("Brackets the change by the camera's measured delay if frames state nothing", arguments: 0..<8)
    func calibrated(phase: Int) async throws {
        let stage = try Stage(statesValues: false) { $0.phaseMilliseconds = Double(phase) * 5 }
        try await stage.run {
            await stage.start(frames: 70)
            _ = try await stage.prepare(first, "exposure=4ms gain=6dB")
            let effect = try await commit(stage, first)
            #expect(effect.change.evidence == .calibrated)
            let undecided = try expectTruth(
                effect, stage, old: (.milliseconds(8), 0), new: (.milliseconds(4), 6))
            #expect(undecided <= 4)
        }
    }

    @Test(
        "Names the frames between which pictures change if nothing else tells, however late the camera is",
        arguments: 0..<12)
    func pixels(seed: Int) async throws {
        let stage = try Stage(statesValues: false) {
            ($0.width, $0.height, $0.model, $0.seed) = (512, 184, "Late camera", UInt64(seed))
            ($0.controls.delayFrames, $0.controls.delayJitterFrames) = (seed % 6, 2)
            $0.phaseMilliseconds = Double(seed) * 3
            $0.look = VirtualLook()
        }
        try await stage.run {
            await stage.start(frames: 30)
            var old: Int64 = 80
            for (number, exposure) in [70, 140, 71].enumerated() as EnumeratedSequence<[Int64]> {
                let id = SettingsID.sample(10 + number)
                _ = try await stage.prepare(id, "exposure=raw:\(exposure)")
                let effect = try await commit(stage, id, for: .seconds(2))
                #expect(effect.change.evidence == .pixels)
                #expect(effect.change.undecidedFrames == 0)
                try expectTruth(effect, stage, from: .microseconds(100 * old), to: .microseconds(100 * exposure))
                old = exposure
            }
            _ = try await stage.prepare(second, "gain=raw:6")
            let gain = try await commit(stage, second, for: .seconds(2))
            #expect(gain.change.evidence == .pixels && gain.change.undecidedFrames == 0)
            let firstNew = try #require(gain.change.firstNew?.sequence)
            for (sequence, value) in [(firstNew - 1, Int64(0)), (firstNew, 6)] {
                #expect(stage.tap.truth.first { $0.sequence == sequence }?.gain == value)
            }
        }
    }

    /// Compares the two frames of a report with what the camera has exposed.
    private func expectTruth(_ effect: SettingsEffect, _ stage: Stage, from old: Duration, to new: Duration) throws {
        for (mark, exposure) in [(effect.change.lastOld, old), (effect.change.firstNew, new)] {
            let sequence = try #require(mark).sequence
            #expect(stage.tap.truth.first { $0.sequence == sequence }?.exposure == exposure)
        }
    }

    @Test("The pictures change between the frames that are named")
    func brightness() async throws {
        let stage = try Stage { ($0.width, $0.height) = (640, 360) }
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=2ms")
            let effect = try await commit(stage, first)
            let (lastOld, firstNew) = (effect.change.lastOld?.sequence, effect.change.firstNew?.sequence)
            let frames = await stage.session.ring.frames(
                in: LocalTime(nanoseconds: .min)...LocalTime(nanoseconds: .max))
            func luma(_ sequence: UInt64?) throws -> Int {
                let frame = try #require(frames.first { $0.sequence == sequence })
                let picture = try #require(frame.picture)
                return try #require(LumaMeter.meanLuma(of: picture.jpeg))
            }
            #expect(try luma(lastOld) > luma(firstNew) + 30)
        }
    }

    @Test("A control of which nothing is known has a last frame with the old value, and no first one with the new")
    func unknown() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let preparation = try await stage.prepare(first, "driver.integer_64_bits=7")
            #expect(preparation.lead == .zero)
            let effect = try await commit(stage, first)
            #expect(effect.change.evidence == .unknown && effect.change.firstNew == nil)
            #expect(effect.controls == ["integer_64_bits": 7])
            let lastOld = try #require(effect.change.lastOld)
            #expect(lastOld.midExposure.time < effect.accepted.time)
            #expect(effect.accepted.time - lastOld.midExposure.time < Stage.period * 2)
            #expect(await stage.session.settings(at: lastOld.sequence + 1) == .changing(from: nil, to: first))
            // Again: nothing changes, but the first change may still be on its way.
            _ = try await stage.prepare(second, "driver.integer_64_bits=7")
            let again = try await commit(stage, second)
            #expect(again.change == SettingsChangeover(evidence: .unknown))
        }
    }

    @Test("Says that nothing changes if the camera has all values")
    func unchanged() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=8ms")
            let effect = try await commit(stage, first)
            #expect(effect.change.evidence == .unchanged && effect.change.lastOld == nil)
            let firstNew = try #require(effect.change.firstNew)
            #expect(firstNew.midExposure.time >= effect.accepted.time + .milliseconds(4))
        }
    }

    @Test("Carries out one transaction after the other, each known by its frames")
    func sequence() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=4ms")
            let one = try await commit(stage, first, for: .milliseconds(500))
            _ = try await stage.prepare(second, "exposure=8ms")
            let two = try await commit(stage, second, for: .milliseconds(500))
            #expect([one, two].map(\.change.evidence) == [.metadata, .metadata])
            #expect(two.change.undecidedFrames == 0)
            let between = try #require(two.change.lastOld)
            #expect(await stage.session.settings(at: between.sequence) == .inForce(first))
        }
    }

    @Test("Frames are undecided while an earlier change may still come, though they show a later one")
    func unsettled() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.session.setControls(["gain": 3])
            _ = try await stage.prepare(first, "exposure=4ms")
            let effect = try await commit(stage, first)
            let firstNew = try #require(effect.change.firstNew)
            #expect(await stage.session.settings(at: firstNew.sequence) == .changing(from: nil, to: first))
            await stage.pass(Stage.period * FrameDelay.limit)
            let newest = try #require(stage.tap.truth.last)
            #expect(await stage.session.settings(at: newest.sequence) == .inForce(first))
        }
    }

    @Test("Controls by name that the camera refuses change the settings of no frame")
    func refusedByName() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=4ms")
            _ = try await commit(stage, first)
            await expect(.unsupportedSettings) { _ = try await stage.session.setControls(["no_such_control": 1]) }
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
            _ = try await commit(stage, first)
            #expect(try await stage.controls()["auto_exposure"] == 1)
            try await undo(stage, first)
            let after = try await stage.controls()
            #expect(after["auto_exposure"] == 0 && after["gain"] == 0)
            #expect(stage.tap.sets.last == ["auto_exposure": 0, "gain": 0])
            await expect(.cancelled) { _ = try await stage.commit(first, at: stage.now) }
            try await undo(stage, first)
            #expect(stage.tap.sets.count == 3, "undone once")
        }
    }

    @Test("Undoing before T sets nothing, and ends the commit")
    func undoneBefore() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            await expect(.expired) { try await undo(stage, first) }
            _ = try await stage.prepare(first, "gain=6dB")
            let time = stage.now + .milliseconds(300)
            let committing = Task { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(100))
            try await undo(stage, first)
            await expect(.cancelled) { _ = try await committing.value }
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
            await expect(.conflict) { _ = try await stage.prepare(first, "gain=5dB") }
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
            await expect(.unsupportedSettings) { _ = try await stage.commit(first, at: stage.now + .seconds(1)) }
            await expect(.expired) { _ = try await stage.commit(.sample(3), at: stage.now + .seconds(1)) }
            #expect(stage.tap.sets.isEmpty)
        }
    }

    @Test("Refuses T that has passed, and a node that does not know the rig's time")
    func time() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "gain=6dB")
            await expect(.tooSoon) { _ = try await stage.commit(first, at: stage.now - .milliseconds(200)) }
            #expect(stage.tap.sets.isEmpty)
            _ = try await stage.prepare(second, "gain=6dB")
            stage.rig.lose()
            await expect(.unsynchronized) { _ = try await stage.commit(second, at: stage.now) }
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
            await expect(.expired, "stream") { _ = try await stage.commit(first, at: stage.now + .seconds(1)) }
        }
    }

    // MARK: Troubles

    /// A catalogue in which a value without effect acts so late that there is time for trouble meanwhile.
    private var slow: CameraCatalogue {
        var camera = CameraPeculiarities(match: CameraMatch(model: "Virtual camera"))
        camera.delays["integer_64_bits"] = FrameDelay(fewest: 0, most: 30)
        return CameraCatalogue([camera])
    }

    @Test("A camera that is lost while its change is confirmed may be set")
    func unplugged() async throws {
        let stage = try Stage(cameras: slow)
        try await stage.run {
            await stage.start()
            #expect(try await stage.prepare(first, "driver.integer_64_bits=7").lead == Stage.period * 15)
            let time = stage.now + .milliseconds(700)
            let committing = Task { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(400))
            #expect(stage.tap.sets.count == 1)
            #expect(await stage.session.abilities.switchInput.isAllowed == false)
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            await expect(.deviceLost, "may be set") { _ = try await committing.value }
            await expect(.deviceLost) { try await undo(stage, first) }
        }
    }

    @Test("Undoing while a change is confirmed puts it back at once")
    func undoneMeanwhile() async throws {
        let stage = try Stage(cameras: slow)
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "driver.integer_64_bits=7")
            let time = stage.now + .milliseconds(700)
            let committing = Task { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(400))
            try await undo(stage, first)
            await expect(.cancelled) { _ = try await committing.value }
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
            let committing = Task { try await stage.commit(first, at: time) }
            await stage.pass(.milliseconds(100))
            return committing
        }
        await expect(.deviceLost, "nothing was set") { _ = try await committing.value }
        #expect(stage.tap.sets.isEmpty)
    }

    // MARK: Who has the controls

    @Test(
        "A capture that sets the camera and a transaction exclude each other",
        arguments: [
            PhotoSettings(flash: .on), PhotoSettings(bracket: [BracketStep(gain: 3), BracketStep(gain: 9)]),
        ])
    func captures(settings: PhotoSettings) async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(500), shot: 1, settings: settings)
            _ = try await stage.session.arm(order).get()
            await expect(.conflict, "flash or bracket") { _ = try await stage.prepare(first, "gain=6dB") }
            await expect(.conflict) { _ = try await stage.session.setControls(["gain": 6]) }
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(450))
            await expect(.conflict) { _ = try await stage.session.setControls(["gain": 6]) }
            await stage.pass(.milliseconds(1000))
            #expect(await firing.value.report != nil)
            #expect(try await stage.controls()["gain"] == 0)

            _ = try await stage.prepare(first, "gain=6dB")
            let later = stage.order(stage.now + .milliseconds(500), shot: 2, settings: settings)
            let problem = await stage.session.arm(later).failure
            #expect(problem?.code == .conflict && problem?.message.contains("\(first)") == true)
            await expect(.conflict, "\(first)") { _ = try await stage.session.setControls(["gain": 1]) }
            _ = try await commit(stage, first)
            // The capture after it puts back the values that the transaction has set.
            let last = stage.order(stage.now + .milliseconds(500), shot: 3, settings: settings)
            _ = try await stage.session.arm(last).get()
            await expect(.conflict) { try await undo(stage, first) }
            let taking = Task { await stage.session.fire(last.key) }
            await stage.pass(.milliseconds(1500))
            #expect(await taking.value.report != nil)
            #expect(try await stage.controls()["gain"] == 6)
        }
    }

    @Test("A still larger than the stream and a transaction exclude each other")
    func largerPhoto() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let order = stage.larger(in: .seconds(2))
            _ = try await stage.session.arm(order).get()
            await expect(.conflict) { _ = try await stage.prepare(first, "gain=6dB") }
            #expect(await stage.fire(order).report != nil)
            _ = try await stage.prepare(first, "gain=6dB")
            #expect(await stage.session.arm(stage.larger(in: .seconds(2), shot: 2)).failure?.code == .conflict)
        }
    }

    @Test("Plain photos go on during a transaction, and are not delayed")
    func plainPhoto() async throws {
        let stage = try Stage(cameras: slow)
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "driver.integer_64_bits=7")
            let time = stage.now + .milliseconds(1300)
            let committing = Task { try await stage.commit(first, at: time) }
            for (number, ahead) in [(1, 200), (2, 300)] {
                let order = stage.order(stage.now + .milliseconds(ahead), shot: Int64(number))
                _ = try await stage.session.arm(order).get()
                let firing = Task { await stage.session.fire(order.key) }
                await stage.pass(.milliseconds(ahead + 200))
                #expect(
                    await firing.value.report.map { abs($0.timing.skewNanoseconds) <= Stage.period.nanoseconds } == true
                )
            }
            await stage.pass(.seconds(3))
            #expect(try await committing.value.change.evidence == .calibrated)
        }
    }
}
