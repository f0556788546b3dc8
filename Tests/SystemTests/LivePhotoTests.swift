import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Stills whose clip comes after them.
    @Suite(.timeLimit(.minutes(3))) struct LivePhotoTests {
        @Test(
            "of sixteen overlapping Live shots of four cameras a clip is cut, mistimed, or belongs to another still",
            .needs("exiftool", "ffprobe", "ffmpeg"))
        func overlapping() async throws {
            let rig = try await TestRig.started(Self.plans)
            try await rig.awaitRing(reaching: .milliseconds(2500))
            let answers = try await withThrowingTaskGroup(of: ShotAnswer.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await rig.trigger(
                            "--all", "--live", "--timeout", "60s", "--at", "+\(1000 + number * 150)ms", expecting: 0)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.flatMap(\.shot.captures).count == 64)
            for answer in answers {
                #expect(answer.shot.status == .complete && answer.files.count == 8)
                for capture in answer.shot.captures {
                    let (still, clip) = try Self.paths(capture, answer)
                    try await LivePhotoCheck.expectTimes(clip, capture)
                    guard capture.device.id.description == "node1/cam1" else { continue }
                    try await LivePhotoCheck.expectPaired(still, clip)
                    let frame = try #require(capture.clip).stillFrame
                    try await LivePhotoCheck.expectStillInside(still, clip, frame: frame)
                }
            }
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test("Keeps the photo of a clip that an agent's end interrupts")
        func killedAgent() async throws {
            let rig = try await TestRig.started(Array(Self.plans.prefix(1)))
            try await rig.awaitRing(reaching: .milliseconds(1500))
            let id = ShotID.fresh().description
            let events = try EventTail(of: rig)
            let trigger = try rig.startTrigger(["--all", "--live", "--id", id, "--timeout", "40s"])
            try await events.wait(for: "capture.didFinishProcessingPhoto", count: 2)
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 3, "\(outcome.errors)")
            let answer = try outcome.json(ShotAnswer.self)
            #expect(answer.shot.status == .partial)
            for capture in answer.shot.captures {
                #expect(capture.phase == .partial && capture.problem?.code == .agentRestarted)
                #expect(capture.files.map(\.outcome) == [.done, .failed])
            }
            try await StillCheck.expectDigests(answer.files)
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }

        @Test("Takes plain photos of a camera without clips, and promises none")
        func notEnabled() async throws {
            var plans = Self.plans
            plans[1].cameras[0].isLive = false
            let rig = try await TestRig.started(plans)
            let answer = try await rig.trigger("--all", expecting: 0)
            #expect(answer.shot.status == .complete && answer.files.count == 7)
            let refused = try await rig.trigger("--all", "--live", expecting: 3)
            let problem = refused.shot.captures.first { $0.device.id.description == "node2/cam1" }?.problem
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("not enabled") == true)
            let plain = try await rig.trigger("--all", "--no-live", expecting: 0)
            #expect(plain.files.count == 4)
            try await rig.end()
        }

        @Test("Reports clips as not enabled where every camera has `live: false`")
        func noneEnabled() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let refused = try await rig.trigger("--all", "--live", expecting: 4)
            let problem = refused.shot.captures.first?.problem
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("not enabled: set `live: true`") == true, "\(problem?.message ?? "")")
            try await rig.end()
        }

        /// At ten frames a second a camera counts as running through a fifth of a second without a processor, which sixteen
        /// commands that start at once may cost it.
        private static let plans = NodePlan.nodes(2, cameras: 2) { camera in
            camera.isLive = true
            camera.framesPerSecond = 10
        }

        private static func paths(_ capture: Capture, _ answer: ShotAnswer) throws -> (still: String, clip: String) {
            let paths = capture.files.compactMap { $0.path.map { answer.folder + "/" + $0 } }
            return (
                try #require(paths.first { $0.hasSuffix("photo.jpg") }),
                try #require(paths.first { $0.hasSuffix("pairedVideo.mov") })
            )
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(2))) struct CoordinatorCrashTests {
        /// When the coordinator is killed.
        enum Moment: CaseIterable {
            case firstCameraArmed
            case firstFrameChosen
            case everyStillSpooled
            case firstTransferBegun
            case firstFileStored
            case fifthFileStored
            case twelfthFileStored

            /// Whether every picture lies in a spool, so that none may be missing at the end.
            var isAfterEveryCapture: Bool { self != .firstCameraArmed && self != .firstFrameChosen }
        }

        /// Files of several chunks, collected within a second or two.
        private func rig() async throws -> TestRig {
            let plans = NodePlan.nodes(4, cameras: 4) { camera in
                (camera.width, camera.height, camera.framesPerSecond) = (1920, 1080, 10)
            }
            return try await TestRig.started(plans, rate: "4 MB/s")
        }

        private func wait(for moment: Moment, _ events: EventTail, _ incoming: FolderWatch) async throws {
            let limit = Duration.seconds(20)
            switch moment {
            case .firstCameraArmed: try await events.wait(for: "capture.willBeginCapture")
            case .firstFrameChosen: try await events.wait(for: "capture.didCapturePhoto")
            case .everyStillSpooled: try await events.wait(for: "capture.didFinishCapture", count: 16)
            case .firstTransferBegun: try await incoming.wait(for: .came, within: limit)
            case .firstFileStored: try await incoming.wait(for: .went, within: limit)
            case .fifthFileStored: try await incoming.wait(for: .went, count: 5, within: limit)
            case .twelfthFileStored: try await incoming.wait(for: .went, count: 12, within: limit)
            }
        }

        @Test(
            "a coordinator that crashes leaves half a file, a picture lost or twice, or a shot without end",
            arguments: Moment.allCases)
        func coordinatorKilled(at moment: Moment) async throws {
            let rig = try await rig()
            let incoming = try FolderWatch(rig.library + "/.incoming")
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "20s"])
            try await wait(for: moment, events, incoming)
            try await rig.kill("coordinator")
            try await rig.startCoordinator()

            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            #expect(answer.shot.id == id && answer.files.count == 16)
            let isComplete = answer.files.allSatisfy { $0.outcome == .done }
            #expect(isComplete || !moment.isAfterEveryCapture, "\(outcome.output)")
            #expect(answer.files.allSatisfy { $0.outcome == .done || $0.outcome == .missed && $0.problem != nil })
            #expect(outcome.status == (isComplete ? 0 : 3))
            let settled = try await rig.trigger("--all", "--id", id.description, expecting: outcome.status)
            #expect(settled.shot == answer.shot)
            try await rig.expectSound(settled)
            for node in 1...4 { try await rig.awaitEmptySpool("node\(node)") }
            try await rig.end()
        }
    }
}

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

        @Test("Refuses a clip that must have sound when the microphone fails")
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
