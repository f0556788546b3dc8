import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Stills that are encoded on their node, and the small pictures of a library.
    @Suite(.timeLimit(.minutes(2))) struct DeferredStillTests {
        private static let asked = ["--all", "--codec", "heic", "--timeout", "60s"]

        @Test(
            "a still in HEIC shows another picture, another size or other facts than its JPEG",
            .needs("heif-enc", "heif-info", "heif-convert", "exiftool"))
        func encoded() async throws {
            var plans = NodePlan.nodes(1, cameras: 2)
            plans[0].cameras[0].settings = ["orientation: 90"]
            let rig = try await TestRig.started(plans)
            let outcome = try await Capctl.outcome(of: try rig.startTrigger(Self.asked))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let answer = try outcome.json(ShotAnswer.self)
            #expect(answer.shot.status == .complete && answer.files.count == 4)
            for capture in answer.shot.captures {
                #expect(capture.files.map(\.kind) == [.photo, .photoHEIC] && capture.resolved?.codec == .heic)
                let paths = try capture.files.map { answer.folder + "/" + (try #require($0.path)) }
                try await Self.expectSame(paths[0], paths[1], capture, rig)
            }
            try await StillCheck.expectDigests(answer.files)
            try await rig.awaitEmptySpool("node1")
            #expect(try FileManager.default.contentsOfDirectory(atPath: rig.spool("node1") + "/deferred") == [])
            try await rig.end()
        }

        @Test(
            "a photo that owes three files is told of only when one of them is made", .needs("heif-enc", "ffmpeg"))
        func threeOwed() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1) { $0.isLive = true })
            try await rig.awaitRing(reaching: .milliseconds(1600))
            let kinds = ["--live", "--motion-photo", "--clip-codec", "h264"]
            let outcome = try await Capctl.outcome(of: try rig.startTrigger(kinds + Self.asked))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let answer = try outcome.json(ShotAnswer.self)
            #expect(
                Set(answer.shot.captures[0].files.map(\.kind)) == [.photo, .photoHEIC, .pairedVideo, .motionPhoto])
            let status = try await rig.capctl.run("status", "--format", "json")
            let document = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
            #expect((document?["droppedMessages"] as? [String: String]) == [:], "\(status.output)")
            try await rig.end()
        }

        @Test("Encodes after a kill the still that an agent owed", .needs("heif-enc", "heif-info"))
        func killed() async throws {
            let (rig, answer) = try await TestRig.killedWhileEncoding("heif-enc", Self.asked)
            #expect(answer.shot.captures[0].files.map(\.kind) == [.photo, .photoHEIC])
            let info = try await LivePhotoCheck.tool(["heif-info", try #require(answer.files[1].path)])
            #expect(info.status == 0 && info.output.contains("primary"))
            try await rig.end()
        }

        @Test("Refuses HEIC on a node without an encoder, and keeps the photo when encoding fails")
        func failing() async throws {
            let tools = try FakeTools("heif-enc", "echo no such codec >&2; exit 1")
            var plans = NodePlan.nodes(2, cameras: 1)
            plans[0].environment = tools.environment
            plans[1].environment = ["PATH": "/nowhere"]
            let rig = try await TestRig.started(plans)
            let answer = try await rig.trigger("--all", "--codec", "heic", "--timeout", "60s", expecting: 3)
            #expect(answer.shot.captures[0].files.map(\.outcome) == [.done, .failed])
            let problem = answer.shot.captures[0].files[1].problem
            #expect(problem?.code == .encoderFailed && problem?.message.contains("no such codec") == true)
            #expect(answer.shot.captures[1].phase == .missed)
            #expect(answer.shot.captures[1].problem?.message.contains("heif-enc") == true)
            try await rig.end()
        }

        /// Sizes and facts by tools that nobody here wrote; the picture as a viewer of the format turns it.
        private static func expectSame(
            _ jpeg: String, _ heic: String, _ capture: Capture, _ rig: TestRig
        ) async throws {
            let resolved = try #require(capture.resolved)
            let info = try await LivePhotoCheck.tool(["heif-info", heic])
            #expect(info.status == 0, "\(info.errors)")
            let tags = [
                "-s", "-n", "-SubSecDateTimeOriginal", "-ImageUniqueID", "-SerialNumber", "-Orientation",
                "-ExposureTime",
                "-Software", "-ImageDescription", "-ImageSize",
            ]
            let told = try await LivePhotoCheck.tool(["exiftool"] + tags + [heic]).output
            #expect(told == (try await LivePhotoCheck.tool(["exiftool"] + tags + [jpeg]).output))
            #expect(told.contains("\(resolved.width) \(resolved.height)"))
            let valid = try await LivePhotoCheck.tool(["exiftool", "-validate", "-warning", "-s3", heic]).output
            #expect(valid.hasPrefix("OK"), "\(valid)")
            let shown = rig.folder.path + "/shown.jpg"
            let converted = try await LivePhotoCheck.tool(["heif-convert", heic, shown])
            #expect(converted.status == 0, "\(converted.errors)")
            let size = try await LivePhotoCheck.tool(["exiftool", "-s3", "-n", "-ImageSize", shown]).output
            let isOnItsSide = resolved.orientation == .degrees90
            let sides = isOnItsSide ? [resolved.height, resolved.width] : [resolved.width, resolved.height]
            #expect(size == "\(sides[0]) \(sides[1])\n")
        }
    }
}
