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

        @Test("a clip that an agent's end has cut off takes the photo with it, or is waited for without end")
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

        @Test("a camera for which clips are off fails plain triggers, or promises a clip it does not make")
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

        @Test("a node whose cameras all have `live: false` says that clips are not enabled")
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
