import CameraSettings
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Cameras whose delays were measured at their node.
@Suite(.timeLimit(.minutes(10))) struct MeasuredDelayTests {
    private func files(_ folder: TemporaryFolder) throws -> CameraFiles {
        try CameraFiles(path: folder.path + "/cameras", executor: ThreadExecutor(name: "cameras"))
    }

    private func delay(_ control: String, _ fewest: Int, _ most: Int, _ middle: Int) throws -> ControlDelay {
        try #require(ControlDelay(control, fewest: fewest, most: most, middleThousandths: middle))
    }

    private func set(_ stage: Stage, _ text: String, in ahead: Duration) async throws -> (RigTime, SettingsEffect) {
        let id = SettingsID.sample(Int(stage.clock.now().nanoseconds % 1_000_000_007))
        _ = try await stage.session.carryOut(.prepare(try CaptureSettings(parsing: text)), of: id)
        let time = stage.now + ahead
        let committing = Task(executorPreference: stage.executor) {
            try await stage.session.carryOut(.commit(at: time), of: id)
        }
        await stage.pass(.seconds(2))
        guard case .applied(let effect) = try await committing.value else {
            throw RigProblem(.protocolViolation, "commit answered something else")
        }
        return (time, effect)
    }

    @Test("A camera is set so early that it acts with the frame nearest to T", arguments: 0..<8)
    func early(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(statesValues: false, cameraFiles: try files(folder)) {
            ($0.width, $0.height, $0.model, $0.seed, $0.look) = (512, 184, "Late", UInt64(seed), VirtualLook())
            $0.controls.delayFrames = 4
            $0.phaseMilliseconds = Double(seed) * 5
        }
        try await stage.run {
            await stage.start(frames: 30)
            // A frame is planned when the one before is delivered, 8 ms after its middle: 0.7 to 1.7 intervals before the one that acts at
            // once.
            let file = try await stage.session.keepDelays([try delay("gain", 3, 6, 5300)])
            #expect(file.hasPrefix(folder.path))
            for (number, ahead) in [613, 627, 641].enumerated() {
                let (time, effect) = try await set(
                    stage, "gain=raw:\(number % 2 == 0 ? 6 : 0)", in: .milliseconds(ahead))
                #expect(effect.change.evidence == .pixels)
                let firstNew = try #require(effect.change.firstNew)
                #expect((firstNew.midExposure.time - time).magnitude <= Stage.period / 2 + .milliseconds(1))
            }
            // Pictures do not show two controls.
            _ = try await stage.session.keepDelays([try delay("exposure_time_absolute", 3, 6, 5300)])
            let (_, effect) = try await set(stage, "gain=raw:3 exposure=raw:60", in: .milliseconds(620))
            #expect(effect.change.evidence == .calibrated)
            let (lastOld, firstNew) = (try #require(effect.change.lastOld), try #require(effect.change.firstNew))
            for frame in stage.tap.truth where frame.sequence <= lastOld.sequence { #expect(frame.gain != 3) }
            for frame in stage.tap.truth where frame.sequence >= firstNew.sequence { #expect(frame.gain == 3) }
        }
    }

    @Test("Delays outlast the agent, and are those of a model in a format at a frame rate")
    func kept() async throws {
        let folder = try TemporaryFolder()
        for (width, rate, isKnown) in [(512, 25.0, true), (512, 25.0, true), (640, 25.0, false), (512, 50.0, false)] {
            let files = try files(folder)
            let stage = try Stage(statesValues: false, cameraFiles: files) {
                ($0.width, $0.height, $0.framesPerSecond, $0.model) = (width, 184, rate, "Late")
            }
            try await stage.run {
                await stage.start()
                if files.catalogue.cameras.isEmpty {
                    _ = try await stage.session.keepDelays([try delay("gain", 3, 6, 5300)])
                }
                let settings = SettingsStep.prepare(try CaptureSettings(parsing: "gain=raw:6"))
                guard case .prepared(let prepared) = try await stage.session.carryOut(settings, of: .sample(1)) else {
                    throw RigProblem(.protocolViolation, "prepare answered something else")
                }
                #expect(prepared.lead == (isKnown ? .milliseconds(212) : .zero))
            }
        }
        #expect(try folder.names("cameras") == ["caprig-late-mjpg-512x184-40000000ns.yaml"])
    }

    @Test("Overwrites no file that has a mistake, or says more than delays")
    func others() async throws {
        let folder = try TemporaryFolder()
        let executor = try ThreadExecutor(name: "cameras")
        let path = folder.path + "/cameras"
        let match = CameraMatch(make: "Maker", model: "Model")
        let gain = ["gain": try #require(FrameDelay(fewest: 1, most: 2))]
        let kept = try await CameraFiles(path: path, executor: executor).keep(gain, of: match, source: "test")
        #expect(kept == path + "/maker-model.yaml")
        let directory = try Folder(opening: path)
        try directory.publish([Array("model: \"Model\"\nmistake: 1\n".utf8)], as: "maker-model.yaml")
        let other = try await CameraFiles(path: path, executor: executor).keep(gain, of: match, source: "test")
        #expect(other == path + "/maker-model-2.yaml")
        let more = "make: Maker\nmodel: Model\nsource: test\ncontrols:\n  - { name: focus_absolute, inverted: true }\n"
        try directory.publish([Array(more.utf8)], as: "maker-model-2.yaml")
        let files = try CameraFiles(path: path, executor: executor)
        let problem = await #expect(throws: RigProblem.self) {
            try await files.keep(gain, of: match, source: "test")
        }
        #expect(problem?.code == .unsupportedSettings && problem?.message.contains("maker-model-2.yaml") == true)
    }

    @Test("Refuses delays of controls that the camera does not have, and of a camera that does not stream")
    func refused() async throws {
        let stage = try Stage(cameraFiles: try files(try TemporaryFolder()))
        try await stage.run {
            await stage.start()
            let problem = await #expect(throws: RigProblem.self) {
                try await stage.session.keepDelays([try delay("no_such_control", 0, 1, 500)])
            }
            #expect(problem?.code == .unsupportedSettings)
        }
        let stopped = try Stage(cameraFiles: try files(try TemporaryFolder()))
        let problem = await #expect(throws: RigProblem.self) {
            try await stopped.session.keepDelays([try delay("gain", 0, 1, 500)])
        }
        #expect(problem?.code == .notRunning)
    }

    @Test("Pictures that are white leave a change unknown, and the one after it")
    func invisible() async throws {
        let stage = try Stage(statesValues: false) {
            var look = VirtualLook()
            look.gainDecibels = 24
            ($0.width, $0.height, $0.model, $0.look) = (512, 184, "Late", look)
        }
        try await stage.run {
            await stage.start(frames: 30)
            let (_, effect) = try await set(stage, "gain=raw:1", in: .milliseconds(300))
            #expect(effect.change.evidence == .unknown && effect.change.firstNew == nil && effect.change.lastOld != nil)
            let (_, again) = try await set(stage, "gain=raw:0", in: .milliseconds(100))
            #expect(again.change == SettingsChangeover(evidence: .unknown))
        }
    }
}
