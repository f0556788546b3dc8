import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Clips of cameras that have a microphone.
    @Suite(.timeLimit(.minutes(1))) struct LivePhotoSoundTests {
        @Test(
            "sound and picture of a clip are apart, or a clip without sound does not say so",
            .needs("ffprobe", "ffmpeg"))
        func marks() async throws {
            var plans = NodePlan.nodes(1, cameras: 2) { $0.isLive = true }
            plans[0].microphones = "[{ name: desk, purpose: Sound of a test, source: { virtual: {} } }]"
            plans[0].cameras[0].settings = ["microphone: desk", "audio: required"]
            let rig = try await TestRig.started(plans)
            try await rig.awaitRing(reaching: .milliseconds(2000))
            let answer = try await rig.trigger("--all", "--live", expecting: 0)
            let (heard, silent) = (answer.shot.captures[0], answer.shot.captures[1])
            #expect(heard.resolved?.livePhoto?.hasSound == true && heard.resolved?.livePhotoNote == nil)
            #expect(silent.resolved?.livePhoto?.hasSound == false)
            #expect(silent.resolved?.livePhotoNote?.contains("no microphone") == true)

            let clip = try Self.path(heard, answer)
            #expect(
                try await Self.output([
                    "ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", clip,
                ]).contains("audio"))
            #expect(
                try await !Self.output([
                    "ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0",
                    Self.path(silent, answer),
                ]).contains("audio"))
            try await SoundCheck.expectTogether(clip, marks: 2)
            try await rig.end()
        }

        @Test("a camera whose clips must have sound takes silent ones when its microphone fails")
        func required() async throws {
            var plans = NodePlan.nodes(1, cameras: 1) { $0.isLive = true }
            plans[0].microphones =
                "[{ name: desk, purpose: Sound of a test, source: { alsa: \"hw:CARD=none,DEV=0\" } }]"
            plans[0].cameras[0].settings = ["microphone: desk", "audio: required"]
            let rig = try await TestRig.started(plans)
            let refused = try await rig.trigger("--all", "--live", expecting: 4)
            let problem = refused.shot.captures[0].problem
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("audio: required") == true)
            let plain = try await rig.trigger("--all", expecting: 0)
            #expect(plain.files.count == 1)
            #expect(plain.shot.captures[0].resolved?.livePhotoNote?.contains("no clip") == true)
            try await rig.end()
        }

        private static func path(_ capture: Capture, _ answer: ShotAnswer) throws -> String {
            let path = capture.files.first { $0.kind == .pairedVideo }?.path
            return answer.folder + "/" + (try #require(path))
        }

        private static func output(_ command: [String]) async throws -> String {
            let folder = try TemporaryFolder()
            let program = try RunningProgram(
                command[0], program: "/usr/bin/env", arguments: command, log: folder.path + "/log")
            let outcome = try await Capctl.outcome(of: program)
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            return outcome.output
        }
    }
}
