import CameraKit
import CaptureModel
import CaptureTestSupport
import ImageMetadata
import PosixSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Settings transactions that change format and frame rate of a virtual camera on the test's clock.
@Suite(.timeLimit(.minutes(10))) struct FormatTransactionTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)

    /// Commits a little ahead, and lets time pass until the answer must be there.
    private func commit(_ stage: Stage, _ id: SettingsID) async throws -> SettingsEffect {
        try await stage.commit(id, in: .milliseconds(200), for: .milliseconds(1500))
    }

    private func set(_ stage: Stage, _ id: SettingsID, _ text: String) async throws -> SettingsEffect {
        #expect(try await stage.prepare(id, text).isRefused == false)
        return try await commit(stage, id)
    }

    private func undo(_ stage: Stage, _ id: SettingsID) async throws {
        let undoing = Task { try await stage.session.carryOut(.undo, of: id) }
        await stage.pass(.seconds(1))
        #expect(try await undoing.value == .undone)
    }

    private func format(_ stage: Stage) async -> String? { await stage.session.condition.format?.description }

    private func expectProblem(
        _ code: RigProblem.Code, _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        let problem = await #expect(throws: RigProblem.self, sourceLocation: sourceLocation) { try await body() }
        #expect(
            problem?.code == code && problem?.message.contains(words) == true, "\(String(describing: problem))",
            sourceLocation: sourceLocation)
    }

    @Test("Changes format and exposure at one T, and says between which frames", arguments: [true, false])
    func formatAndExposure(statesValues: Bool) async throws {
        let stage = try Stage(statesValues: statesValues)
        try await stage.run {
            await stage.start(frames: 70)
            let preparation = try await stage.prepare(first, "format=MJPG:320x240 exposure=4ms")
            #expect(
                preparation.outcomes.map(\.description)
                    == ["format is set to MJPG:320x240", "exposureDuration is set to 4ms"])
            #expect(preparation.notes.contains { $0.contains("frame durations") })
            #expect(await format(stage) == "MJPG 160x120 25 fps")
            let time = stage.now + .milliseconds(200)
            let effect = try await commit(stage, first)
            #expect(await format(stage) == "MJPG 320x240 25 fps")
            #expect(try await stage.controls()["exposure_time_absolute"] == 40)
            #expect(effect.change.evidence == (statesValues ? .metadata : .calibrated))
            #expect(effect.change.streamReopened == true && effect.change.undecidedFrames == nil)
            let lastOld = try #require(effect.change.lastOld)
            let firstNew = try #require(effect.change.firstNew)
            #expect((lastOld.midExposure.time - time).magnitude <= Stage.period * 2)
            #expect(firstNew.midExposure.time > lastOld.midExposure.time)
            for frame in stage.tap.truth {
                let mid = try #require(stage.rig.rigTime(at: frame.midExposure)).time
                if mid <= lastOld.midExposure.time { #expect(frame.exposure == .milliseconds(8)) }
                if mid >= firstNew.midExposure.time { #expect(frame.exposure == .milliseconds(4)) }
            }
            let frames = await stage.session.ring.frames(
                in: LocalTime(nanoseconds: .min)...LocalTime(nanoseconds: .max))
            #expect(frames.contains { $0.sequence == firstNew.sequence } && frames.count > 10)
            for frame in frames {
                let picture = try #require(frame.picture)
                #expect(try JPEGStructure(parsing: picture.jpeg).frame.width == 320, "no frame of the stream before")
            }
            #expect(await stage.session.settings(at: firstNew.sequence) == .inForce(first))
            let order = stage.order(stage.now + .milliseconds(100))
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(500))
            let still = try await stage.still(try #require(await firing.value.report))
            #expect(try JPEGStructure(parsing: still).frame.height == 240)
        }
    }

    @Test("A format alone is in force from the first frame of its stream on, and stays when the camera starts again")
    func formatAlone() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let effect = try await set(stage, first, "format=MJPG:320x240")
            #expect(effect.change.evidence == .metadata && effect.controls.isEmpty)
            #expect(effect.change.lastOld != nil && effect.change.firstNew != nil)
            await stage.session.stopRunning()
            let starting = Task { await stage.session.startRunning() }
            await stage.pass(.milliseconds(500))
            #expect(await starting.value == nil)
            #expect(await format(stage) == "MJPG 320x240 25 fps")
        }
    }

    @Test("A frame duration opens the present format at another rate; a format without one returns to the default")
    func rate() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let effect = try await set(stage, first, "minimumFrameDuration=20ms")
            #expect(await format(stage) == "MJPG 160x120 50 fps" && effect.change.streamReopened == true)
            let again = try await set(stage, second, "format=MJPG:160x120")
            #expect(await format(stage) == "MJPG 160x120 25 fps" && again.change.streamReopened == true)
            let unchanged = try await set(stage, .sample(3), "format=MJPG:160x120")
            #expect(unchanged.change.streamReopened == nil && unchanged.change.evidence == .unchanged)
        }
    }

    @Test("Changes the rate of a camera whose pictures have another size than agreed, and demands a size that is named")
    func otherSize() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.resized)] }
        try await stage.run {
            await stage.start(frames: 20)
            #expect(await format(stage) == "MJPG 176x136 25 fps")
            _ = try await set(stage, first, "minimumFrameDuration=20ms")
            #expect(await format(stage) == "MJPG 176x136 50 fps")
            #expect(try await stage.prepare(second, "format=MJPG:320x240").isRefused == false)
            await expectProblem(.unsupportedSettings, "was opened in another format: MJPG 336x256") {
                _ = try await commit(stage, second)
            }
            #expect(await format(stage) == "MJPG 176x136 50 fps", "as before")
        }
    }

    @Test("Undoing opens the format before, also that of a preset, with the controls before")
    func undone() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            var configuration = stage.session.beginConfiguration()
            configuration.preset = .photo
            let configuring = Task { [configuration] in
                try await stage.session.commitConfiguration(configuration)
            }
            await stage.pass(.milliseconds(500))
            _ = try await configuring.value
            _ = try await set(stage, first, "format=MJPG:320x240 exposure=4ms")
            #expect(stage.session.beginConfiguration().preset == .inputPriority)
            try await undo(stage, first)
            #expect(await format(stage) == "MJPG 160x120 25 fps")
            #expect(stage.session.beginConfiguration().preset == .photo)
            #expect(try await stage.controls()["exposure_time_absolute"] == 80)
        }
    }

    @Test("The settings of before request the format of before, and what is held has the one of now")
    func earlier() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 70)
            let before = await format(stage)
            #expect(
                try await stage.session.heldSettings().settings == CaptureSettings(), "a format of the configuration")
            let preparation = try await stage.prepare(first, "format=MJPG:320x240 gain=raw:5")
            let earlier = try #require(preparation.earlier)
            _ = try await commit(stage, first)
            let now = await format(stage)
            #expect(now != before)
            let held = try await stage.session.heldSettings().settings
            #expect("\(held)".contains("format=MJPG:320x240 minimumFrameDuration="))
            _ = try await set(stage, second, "\(earlier)")
            #expect(await format(stage) == before)
            #expect(try await stage.controls()["gain"] == 0)
            _ = try await set(stage, .sample(3), "\(held)")
            #expect(await format(stage) == now)
            #expect(try await stage.controls()["gain"] == 5)
        }
    }

    @Test("A format that does not open leaves the camera in the one before, with nothing set")
    func refusedAtOpening() async throws {
        let stage = try Stage()
        stage.tap.refusal.withLock {
            $0 = { request in
                request.width == 320
                    ? CameraError(.noBandwidth, device: "cam", operation: "VIDIOC_STREAMON", reason: "no room") : nil
            }
        }
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "format=MJPG:320x240 exposure=4ms")
            await expectProblem(.deviceLost, "earlier format again") { _ = try await commit(stage, first) }
            #expect(await format(stage) == "MJPG 160x120 25 fps" && stage.tap.sets.isEmpty)
            let effect = try await set(stage, second, "format=MJPG:480x360")
            #expect(await format(stage) == "MJPG 480x360 25 fps" && effect.change.evidence == .metadata)
        }
    }

    @Test("A control that is refused after the format was opened takes the format back")
    func refusedControl() async throws {
        let stage = try Stage { $0.controls.refuse = [VirtualRefusal(control: "gain", from: 20)] }
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "format=MJPG:320x240 gain=raw:24")
            await expectProblem(.unsupportedSettings, "earlier format again") { _ = try await commit(stage, first) }
            #expect(await format(stage) == "MJPG 160x120 25 fps")
            #expect(try await stage.controls()["gain"] == 0)
        }
    }

    @Test("A camera that is unplugged while it is opened again returns in the format before, and the outcome says so")
    func unplugged() async throws {
        let stage = try Stage()
        let isAway = Locked(false)
        stage.tap.refusal.withLock {
            $0 = { request in
                if request.width == 320 { isAway.withLock { $0 = true } }
                return isAway.withLock { $0 }
                    ? CameraError(.absent, device: "cam", operation: "open", reason: "it was unplugged") : nil
            }
        }
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "format=MJPG:320x240 exposure=4ms")
            await expectProblem(.deviceLost, "does not run at present") { _ = try await commit(stage, first) }
            isAway.withLock { $0 = false }
            await stage.session.deviceAppeared()
            await stage.pass(.milliseconds(500))
            #expect(await format(stage) == "MJPG 160x120 25 fps" && stage.tap.sets.isEmpty)
        }
    }

    @Test(
        "A change of the stream and a capture that it would cut exclude each other; controls do not",
        arguments: [PhotoSettings(), PhotoSettings(livePhoto: .whereEnabled), PhotoSettings(movie: MovieSettings())])
    func captures(settings: PhotoSettings) async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(300), settings: settings)
            _ = try await stage.session.arm(order).get()
            await expectProblem(.conflict, "would cut") { _ = try await stage.prepare(first, "format=MJPG:320x240") }
            #expect(try await stage.prepare(second, "gain=6dB").isRefused == false)
            try await undo(stage, second)
            await stage.session.cancel(order.key)
            await stage.pass(.milliseconds(100))

            _ = try await stage.prepare(first, "format=MJPG:320x240")
            let later = stage.order(stage.now + .milliseconds(300), shot: 2, settings: settings)
            let problem = await stage.session.arm(later).failure
            #expect(problem?.code == .conflict && problem?.message.contains("\(first)") == true)
            #expect(await stage.session.abilities.photo.isAllowed == false)
            _ = try await commit(stage, first)
            let last = stage.order(stage.now + .milliseconds(300), shot: 3, settings: settings)
            _ = try await stage.session.arm(last).get()
            await expectProblem(.conflict, "would cut") { _ = try await stage.session.carryOut(.undo, of: first) }
            await stage.session.cancel(last.key)
        }
    }

    @Test("A take under way is not cut by a format")
    func take() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let (session, start) = (stage.session, stage.clock.now() + .milliseconds(50))
            let beginning = Task { try await session.startRecording(with: MovieSettings(), at: start) }
            await stage.pass(.milliseconds(300))
            let recording = try await beginning.value
            await expectProblem(.conflict, "would cut") { _ = try await stage.prepare(first, "format=MJPG:320x240") }
            await recording.stop()
            await stage.pass(.milliseconds(200))
            _ = try await recording.finished()
            let effect = try await set(stage, first, "format=MJPG:320x240")
            #expect(effect.change.streamReopened == true)
        }
    }
}
