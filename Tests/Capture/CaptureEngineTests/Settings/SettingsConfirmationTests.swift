import CameraSettings
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// From which frame on pictures have the settings of a transaction, and what proves it.
@Suite(.timeLimit(.minutes(10))) struct SettingsConfirmationTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)

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
            let effect = try await stage.commit(first)
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
            let effect = try await stage.commit(first)
            #expect(effect.change.evidence == .calibrated)
            let undecided = try expectTruth(
                effect, stage, old: (.milliseconds(8), 0), new: (.milliseconds(4), 6))
            #expect(undecided <= 4)
        }
    }

    @Test(
        "Names the frames between which pictures change if nothing else tells, however late the camera is",
        arguments: TestExtent.some(5, of: 0..<12))
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
                let effect = try await stage.commit(id, for: .seconds(2))
                #expect(effect.change.evidence == .pixels)
                #expect(effect.change.undecidedFrames == 0)
                try expectTruth(effect, stage, from: .microseconds(100 * old), to: .microseconds(100 * exposure))
                old = exposure
            }
            _ = try await stage.prepare(second, "gain=raw:6")
            let gain = try await stage.commit(second, for: .seconds(2))
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
            let effect = try await stage.commit(first)
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
            let effect = try await stage.commit(first)
            #expect(effect.change.evidence == .unknown && effect.change.firstNew == nil)
            #expect(effect.controls == ["integer_64_bits": 7])
            let lastOld = try #require(effect.change.lastOld)
            #expect(lastOld.midExposure.time < effect.accepted.time)
            #expect(effect.accepted.time - lastOld.midExposure.time < Stage.period * 2)
            #expect(await stage.session.settings(at: lastOld.sequence + 1) == .changing(from: nil, to: first))
            // Again: nothing changes, but the first change may still be on its way.
            _ = try await stage.prepare(second, "driver.integer_64_bits=7")
            let again = try await stage.commit(second)
            #expect(again.change == SettingsChangeover(evidence: .unknown))
        }
    }

    @Test("Says that nothing changes if the camera has all values")
    func unchanged() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "exposure=8ms")
            let effect = try await stage.commit(first)
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
            let one = try await stage.commit(first, for: .milliseconds(500))
            _ = try await stage.prepare(second, "exposure=8ms")
            let two = try await stage.commit(second, for: .milliseconds(500))
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
            let effect = try await stage.commit(first)
            let firstNew = try #require(effect.change.firstNew)
            #expect(await stage.session.settings(at: firstNew.sequence) == .changing(from: nil, to: first))
            await stage.pass(Stage.period * FrameDelay.limit)
            let newest = try #require(stage.tap.truth.last)
            #expect(await stage.session.settings(at: newest.sequence) == .inForce(first))
        }
    }
}
