import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Cameras that stream in 640 × 360; the first of them may take stills up to twice as large.
    @Suite(.timeLimit(.minutes(1))) struct LargerStillTests {
        private func started() async throws -> TestRig {
            try await TestRig.started(
                NodePlan.nodes(2, cameras: 1) { camera in
                    if camera.number == 1 { camera.settings = ["maxPhotoDimensions: 1280x720"] }
                })
        }

        private func imageSize(_ path: String) throws -> String? {
            guard ExternalTool.isExpected("exiftool") else { return nil }
            return try ExternalTool.run("exiftool", "-s3", "-ImageSize", path).output
                .split(whereSeparator: \.isWhitespace).first.map(String.init)
        }

        @Test("Takes a still twice as large as the stream at the instant, and resumes the stream")
        func taken() async throws {
            let rig = try await started()
            let events = try EventTail(of: rig)
            let answer = try await rig.trigger(
                "--device", "node1/cam1", "--max-dimensions", "1280x720", "--lead", "3s", expecting: 0)
            try await rig.expectSound(answer)
            let path = try #require(answer.storedPaths.first)
            #expect(try imageSize(path) ?? "1280x720" == "1280x720")
            try StillCheck.expectSkewsInPixels(answer.shot, in: answer.folder)
            let capture = try #require(answer.shot.captures.first)
            #expect(capture.resolved?.photoFormat?.width == 1280 && capture.resolved?.streamFormat.width == 640)
            let expected = try #require(capture.resolved?.expectedGapNanoseconds)
            let length = try #require(capture.streamGap?.nanoseconds)
            #expect(length > 0 && length <= expected, "\(length) of \(expected)")

            let begin = try await events.next { $0.name == "session.wasInterrupted" }
            #expect(begin.device == "node1/cam1" && begin.details["interruption"] == "largerPhoto")
            let gap = try await events.next { $0.name == "session.streamGap" }
            #expect(gap.shot == answer.shot.id.description && gap.details["lengthNanoseconds"] == "\(length)")
            let shown = try await rig.capctl.run("shots", "show", answer.shot.id.description)
            #expect(shown.output.contains("node1/cam1 left its stream for"), "\(shown.output)")

            let after = try await rig.trigger("--all", expecting: 0)
            try await rig.expectSound(after)
            #expect(after.shot.captures.map(\.resolved?.width) == [640, 640])
            try StillCheck.expectSkewsInPixels(after.shot, in: after.folder)
            try await rig.end()
        }

        @Test("Reports cameras without larger stills, and asks the others in time")
        func refused() async throws {
            let rig = try await started()
            let both = try await rig.trigger("--all", "--max-dimensions", "1280x720", "--lead", "3s", expecting: 3)
            #expect(try both.file("node1/cam1").outcome == .done)
            let other = try both.file("node2/cam1").problem
            #expect(other?.code == .unsupportedSettings && other?.message.contains("not enabled") == true)
            let soon = try await rig.trigger(
                "--device", "node1/cam1", "--max-dimensions", "1280x720", "--lead", "100ms", expecting: 4)
            #expect(soon.files.map(\.problem?.code) == [.tooSoon])
            let shown = try await rig.capctl.run("devices", "show", "node1/cam1")
            #expect(shown.output.contains("up to 1280x720"), "\(shown.output)")
            let none = try await rig.capctl.run("devices", "show", "node2/cam1")
            #expect(none.output.contains("maxPhotoDimensions"), "\(none.output)")
            try await rig.end()
        }

        @Test(
            "an agent that is killed while its camera is away for a still comes back in the still's format, or promises it on"
        )
        func killed() async throws {
            let rig = try await started()
            let events = try EventTail(of: rig)
            let trigger = try rig.startTrigger([
                "--device", "node1/cam1", "--max-dimensions", "1280x720", "--lead", "4s",
            ])
            try await events.next { $0.name == "session.wasInterrupted" && $0.device == "node1/cam1" }
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            try await events.next { $0.name == "capture.didFinishCapture" && $0.details["code"] == "agentRestarted" }
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 4, "\(outcome.output)")
            let file = try outcome.json(ShotAnswer.self).file("node1/cam1")
            #expect(file.outcome == .missed && file.problem?.code == .agentRestarted, "\(file)")
            try await rig.awaitReadiness()
            let after = try await rig.trigger("--all", expecting: 0)
            #expect(after.shot.captures.map(\.resolved?.width) == [640, 640])
            try await rig.expectSound(after)
            try await rig.end()
        }
    }
}
