import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Takes: movies of all cameras from one instant to another.
    @Suite(.timeLimit(.minutes(3)), .needs("ffprobe", "ffmpeg")) struct RecordingTests {
        private static var plans: [NodePlan] {
            var plans = NodePlan.nodes(2, cameras: 2)
            plans[0].microphones = "[{ name: desk, purpose: Sound of a test, source: { virtual: {} } }]"
            plans[0].cameras[0].settings = ["microphone: desk"]
            return plans
        }

        @Test("Records four cameras over the same span, with true times in the sidecar")
        func fourCameras() async throws {
            let rig = try await TestRig.started(Self.plans)
            let begun = try await rig.record("start", "--all", expecting: 0)
            #expect(begun.cameras.count == 4 && begun.cameras.allSatisfy { $0.outcome == .captured })
            try await rig.awaitRecording(of: 4, reaching: .seconds(1))
            let again = try await rig.capctl.run("record", "start", "--all")
            #expect(again.status == 4 && again.output.contains("is recording already"), "\(again.output)")
            let mark = try await rig.capctl.run("record", "mark", "the jump")
            #expect(mark.status == 0, "\(mark.errors)")
            for _ in 0..<2 {
                let shot = try await rig.trigger("--all", expecting: 0)
                #expect(shot.files.count == 4 && shot.files.allSatisfy { $0.outcome == .done })
            }
            try await rig.awaitRecording(of: 4, reaching: .seconds(3))

            let ended = try await rig.record("stop", expecting: 0)
            #expect(ended.take.id == begun.take.id && ended.take.status == .complete)
            #expect(ended.take.take?.marks.map(\.text) == ["the jump"])
            for capture in ended.take.captures {
                #expect(capture.phase == .done && capture.movie?.end == .stopped)
                let hasSound = try await MovieCheck.expectSound(ended, capture)
                #expect(hasSound == (capture.device.id.description == "node1/cam1"))
                if hasSound { try await SoundCheck.expectTogether(ended.path(capture, .movie(.first)), marks: 2) }
                try MovieCheck.expectWhole(ended, capture)
            }
            let most = ended.cameras.compactMap(\.frames).max()
            for camera in ended.cameras where camera.frames != most { #expect(camera.frameReason != nil) }
            try await expectListed(ended, rig)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        /// The take is a take and no shot, can be given a title, and its files are whole.
        private func expectListed(_ take: TakeAnswer, _ rig: TestRig) async throws {
            let id = take.take.id.description
            let titled = try await rig.capctl.run("takes", "edit", id, "--title", "First jump")
            #expect(titled.status == 0, "\(titled.errors)")
            let takes = try await rig.capctl.run("takes", "list")
            #expect(takes.output.contains(id) && takes.output.contains("First jump"), "\(takes.output)")
            #expect(try await !rig.capctl.run("shots", "list").output.contains(id))
            let shown = try await rig.capctl.ask(TakeAnswer.self, "takes", "show", id)
            #expect(shown.title == "First jump" && shown.take == take.take)
            let verified = try await rig.capctl.run("shots", "verify", id)
            #expect(verified.status == 0, "\(verified.output)")
        }

        @Test("Says how far two cameras drifted apart, within the bound")
        func drift() async throws {
            var plans = NodePlan.nodes(2, cameras: 1)
            plans[1].cameras[0].virtual = ["driftPPM: 5000"]
            let rig = try await TestRig.started(plans)
            _ = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 2, reaching: .seconds(3))
            let ended = try await rig.record("stop", expecting: 0)
            for (capture, truth) in zip(ended.take.captures, [0, 5000]) {
                let drift = try #require(capture.drift)
                #expect(abs(drift.partsPerMillion - Double(truth)) <= drift.boundPartsPerMillion)
                #expect(drift.boundPartsPerMillion < 2500, "what it says would be of no use")
            }
            let shown = try await rig.capctl.run("takes", "show", "last")
            #expect(shown.output.contains("drift: node2/cam1 fell "), "\(shown.output)")
            try await rig.end()
        }

        @Test("Keeps what a killed agent has recorded, and reports it as incomplete")
        func killedAgent() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            _ = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 2, reaching: .seconds(2))
            try await rig.kill("node2")
            try await rig.startAgent("node2")
            let ended = try await rig.record("stop", expecting: 3)
            #expect(ended.take.status == .partial)
            let (whole, cut) = (ended.take.captures[0], ended.take.captures[1])
            #expect(whole.phase == .done && whole.movie?.end == .stopped)
            #expect(cut.phase == .partial && cut.problem?.code == .agentRestarted)
            #expect(cut.movie?.end == .agentRestarted && (cut.movie?.durationNanoseconds ?? 0) > 500_000_000)
            for capture in ended.take.captures { _ = try await MovieCheck.expectSound(ended, capture) }
            #expect(ended.cameras[1].frameReason?.contains("was restarted") == true)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test("Refuses a movie for which there is no room, and takes stills")
        func noRoom() async throws {
            var plans = NodePlan.nodes(1, cameras: 2)
            plans[0].spoolLimit = "20 MiB"
            let rig = try await TestRig.started(plans)
            let full = try await rig.record("start", "--all", expecting: 4)
            for camera in full.cameras {
                #expect(camera.outcome == .missed && camera.problem?.code == .noSpace)
                #expect(camera.problem?.message.contains("the recording was not started") == true)
            }
            #expect(try await rig.trigger("--all", expecting: 0).files.count == 2)
            try await rig.end()
        }

        @Test(
            "a disk that fills while it is recorded on costs the movie, its last frames unsaid, or the stills",
            .needsRoot)
        func fullDisk() async throws {
            let disk = try SmallDisk(kilobytes: 160 << 10)
            var plans = NodePlan.nodes(2, cameras: 1)
            plans[0].spool = disk.path + "/spool"
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            let begun = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 2, reaching: .seconds(1))
            try disk.fill(leaving: 24 << 20)
            let told = try await events.next { $0.name == "recording.didFinishRecording" && $0.node == "node1" }
            #expect(told.details["end"] == "diskNearlyFull" && told.details["code"] == "noSpace", "\(told.details)")
            let shot = try await rig.trigger("--all", expecting: 0)
            #expect(shot.files.count == 2 && shot.files.allSatisfy { $0.outcome == .done })
            let refused = try await rig.record("start", "--node", "node1", expecting: 4)
            #expect(refused.cameras.first?.problem?.code == .noSpace)

            let ended = try await rig.record("stop", begun.take.id.description, expecting: 3)
            let (cut, whole) = (ended.take.captures[0], ended.take.captures[1])
            #expect(cut.phase == .partial && cut.problem?.code == .noSpace && cut.movie?.end == .diskNearlyFull)
            #expect((cut.movie?.durationNanoseconds ?? 0) > 900_000_000)
            #expect(whole.phase == .done && whole.movie?.end == .stopped)
            for capture in ended.take.captures { _ = try await MovieCheck.expectSound(ended, capture) }
            #expect(ended.cameras[0].frameReason?.contains("node1/cam1") == true)
            try await rig.end()
        }

        @Test("Ends a recording when its shot is discarded")
        func discarded() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let begun = try await rig.record("start", "--all", expecting: 0)
            try await rig.awaitRecording(of: 1, reaching: .milliseconds(500))
            let shot = begun.take.id.description
            let listed = try await rig.capctl.ask(SpoolAnswer.self, "spool", "list")
            #expect(listed.captures.map(\.state) == ["recording"])
            let refused = try await rig.capctl.run("spool", "discard", "--shot", shot, "--yes")
            #expect(refused.status == 4 && refused.errors.contains("is being recorded"), "\(refused)")
            let ended = try await rig.record("stop", expecting: 0)
            for capture in ended.take.captures { try MovieCheck.expectWhole(ended, capture) }
            try await rig.end()
        }

        @Test("Ends a take at its limit")
        func limit() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let refused = try await rig.record("start", "--all", "--min-free", "900 TiB", expecting: 4)
            #expect(refused.cameras.allSatisfy { $0.problem?.message.contains("--min-free") == true })
            let events = try EventTail(of: rig)
            let begun = try await rig.record("start", "--all", "--max-duration", "1s", expecting: 0)
            let id = begun.take.id.description
            try await events.next { $0.name == "take.settled" && $0.shot == id && $0.details["status"] == "complete" }
            let ended = try await rig.capctl.ask(TakeAnswer.self, "takes", "show", id)
            for capture in ended.take.captures {
                #expect(capture.movie?.end == .durationLimit)
                #expect((800_000_000..<1_000_000_000).contains(capture.movie?.durationNanoseconds ?? 0))
                _ = try await MovieCheck.expectSound(ended, capture)
            }
            try await rig.end()
        }
    }
}
