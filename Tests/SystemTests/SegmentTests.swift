import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Takes whose movies are recorded into several files.
    @Suite(.timeLimit(.minutes(3)), .needs("ffprobe", "ffmpeg")) struct SegmentTests {
        @Test("Divides a movie into files without losing a frame, and delivers each when it is complete")
        func severalFiles() async throws {
            var plans = NodePlan.nodes(2, cameras: 1)
            plans[0].microphones = "[{ name: desk, purpose: Sound of a test, source: { virtual: {} } }]"
            plans[0].cameras[0].settings = ["microphone: desk"]
            let rig = try await TestRig.started(plans)
            let begun = try await rig.record("start", "--all", "--segment", "1s", expecting: 0)
            let id = begun.take.id.description
            try await rig.awaitStored(.movie(.first), of: id)
            try await rig.awaitRecording(of: 2, reaching: .milliseconds(2300))
            let status = try await rig.capctl.ask(RecordStatusAnswer.self, "record", "status")
            #expect(
                status.takes.count == 1 && status.takes[0].cameras.allSatisfy { $0.segmentNumber >= 3 }, "\(status)")
            let ended = try await rig.record("stop", expecting: 0)
            #expect(ended.take.status == .complete)
            for capture in ended.take.captures {
                let count = try await SegmentCheck.expectWhole(ended, capture)
                #expect(count >= 3 && capture.movie?.segmentCount == count && capture.movie?.end == .stopped)
            }
            let verified = try await rig.capctl.run("shots", "verify", id)
            #expect(verified.status == 0, "\(verified.output)")
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await expectTimeline(ended, rig)
            try await rig.end()
        }

        /// Each camera's files one after the other, with nothing between them.
        private func expectTimeline(_ take: TakeAnswer, _ rig: TestRig) async throws {
            let folder = try TemporaryFolder()
            let id = take.take.id.description
            let exported = try await rig.capctl.run(
                "export", id, "--layout", "timeline", "--library", rig.library, "--to", "\(folder.path)/set")
            #expect(exported.status == 0, "\(exported.errors)")
            let xml = String(decoding: try folder.read("set/\(id).fcpxml"), as: UTF8.self)
            let angles = xml.components(separatedBy: "<mc-angle").dropFirst()
            #expect(angles.count == take.take.captures.count)
            for (angle, capture) in zip(angles, take.take.captures) {
                let count = capture.files.count / 2
                #expect(angle.components(separatedBy: "<asset-clip").count == count + 1)
                // One at most, before the first frame.
                #expect(angle.components(separatedBy: "<gap").count <= 2)
            }
        }

        @Test("Keeps the first file of a movie when the agent is killed in the second")
        func killedInSecondFile() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            _ = try await rig.record("start", "--all", "--segment", "3s", expecting: 0)
            try await rig.awaitRecording(of: 2, reaching: .milliseconds(3500))
            try await rig.kill("node2")
            try await rig.startAgent("node2")
            let ended = try await rig.record("stop", expecting: 3)
            #expect(ended.take.status == .partial)
            let (whole, cut) = (ended.take.captures[0], ended.take.captures[1])
            #expect(whole.phase == .done && cut.phase == .partial && cut.movie?.end == .agentRestarted)
            #expect(cut.problem?.code == .agentRestarted && (cut.movie?.durationNanoseconds ?? 0) > 3_000_000_000)
            try await SegmentCheck.expectWhole(ended, whole)
            #expect(try await SegmentCheck.expectWhole(ended, cut) == 2)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test(
            "files that wait for a coordinator that is away are more than it takes, and the take is lost, or stays open"
        )
        func coordinatorAway() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let begun = try await rig.record("start", "--all", "--segment", "1s", expecting: 0)
            let captures = rig.spool("node1") + "/captures"
            let spool = try FolderWatch(captures)
            try await rig.kill("coordinator")
            // A report lists four of them.
            while try !FileManager.default.contentsOfDirectory(atPath: captures).contains(where: {
                $0.hasSuffix(".movie.06.mov")
            }) {
                try await spool.wait(for: .came, within: .seconds(20))
            }
            try await rig.startCoordinator()
            let ended = try await rig.record("stop", begun.take.id.description, expecting: 0)
            let capture = try #require(ended.take.captures.first)
            #expect(ended.take.status == .complete && capture.movie?.end == .stopped)
            #expect(try await SegmentCheck.expectWhole(ended, capture) > 6)
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }

        @Test("Keeps files within the requested size, and a take within its number of files")
        func limits() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let refused = try await rig.capctl.run(
                "record", "start", "--all", "--segment", "1s", "--max-duration", "100s")
            #expect(refused.status == 64 && refused.errors.contains("99 files"), "\(refused.errors)")
            let events = try EventTail(of: rig)
            let begun = try await rig.record(
                "start", "--all", "--segment-size", "1MB", "--max-size", "2500kB", expecting: 0)
            let id = begun.take.id.description
            try await events.next { $0.name == "take.settled" && $0.shot == id && $0.details["status"] == "complete" }
            let ended = try await rig.capctl.ask(TakeAnswer.self, "takes", "show", id)
            let capture = try #require(ended.take.captures.first)
            #expect(capture.movie?.end == .sizeLimit)
            #expect(try await SegmentCheck.expectWhole(ended, capture) == 3)
            try await rig.end()
        }
    }
}

extension TestRig {
    /// Waits until the library has this file of every camera of a take that is under way.
    fileprivate func awaitStored(_ kind: AssetKind, of take: String) async throws {
        try await within(Self.patience, "\(kind.rawValue) of take \(take) to be in the library") { [capctl] in
            while true {
                let captures = try await capctl.ask(TakeAnswer.self, "takes", "show", take).take.captures
                let stored = captures.filter { $0.files.contains { $0.kind == kind && $0.isStored } }
                if !captures.isEmpty, stored.count == captures.count { return }
                try await Self.pause()
            }
        }
    }
}
