import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Clips that are encoded on their node, and stills with their clip in one file.
    @Suite(.timeLimit(.minutes(2))) struct DeferredClipTests {
        private static let asked = ["--all", "--live", "--clip-codec", "h264", "--motion-photo", "--timeout", "60s"]

        @Test(
            "a clip in H.264 is no longer half of a Live Photo, or the movie cut out of a motion photo does not play",
            .needs("ffmpeg", "ffprobe", "exiftool", "jpeginfo"))
        func encoded() async throws {
            var plans = NodePlan.nodes(1, cameras: 2) { $0.isLive = true }
            plans[0].microphones = "[{ name: desk, purpose: Sound of a test, source: { virtual: {} } }]"
            plans[0].cameras[0].settings = ["microphone: desk", "audio: required"]
            let rig = try await TestRig.started(plans)
            try await rig.awaitRing(reaching: .milliseconds(2000))
            let outcome = try await Capctl.outcome(of: try rig.startTrigger(Self.asked))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let answer = try outcome.json(ShotAnswer.self)
            #expect(answer.shot.status == .complete && answer.files.count == 6)
            for (capture, codecs) in zip(answer.shot.captures, [["h264", "aac"], ["h264"]]) {
                #expect(capture.files.map(\.kind) == [.photo, .pairedVideo, .motionPhoto])
                let paths = try capture.files.map { answer.folder + "/" + (try #require($0.path)) }
                try await LivePhotoCheck.expectPaired(paths[0], paths[1])
                try await LivePhotoCheck.expectTimes(paths[1], capture)
                #expect(try await Self.codecs(paths[1]) == codecs)
                try await Self.expectMotionPhoto(paths[2], codecs, capture, rig)
            }
            try await StillCheck.expectDigests(answer.files)
            try await rig.awaitEmptySpool("node1")
            #expect(try FileManager.default.contentsOfDirectory(atPath: rig.spool("node1") + "/deferred") == [])
            try await rig.end()
        }

        @Test(
            "an encoder that fails takes the clip with it, or the answer passes it for what was asked",
            .needs("ffprobe"))
        func failing() async throws {
            let tools = try FakeTools("ffmpeg", "echo no such codec >&2; exit 1")
            var plans = NodePlan.nodes(1, cameras: 1) { $0.isLive = true }
            plans[0].environment = tools.environment
            let rig = try await TestRig.started(plans)
            try await rig.awaitRing(reaching: .milliseconds(1500))
            let outcome = try await Capctl.outcome(of: try rig.startTrigger(Self.asked))
            #expect(outcome.status == 3, "\(outcome.errors)")
            let answer = try outcome.json(ShotAnswer.self)
            let capture = answer.shot.captures[0]
            #expect(answer.shot.status == .partial && capture.files.map(\.outcome) == [.done, .done, .failed])
            let shortfall = try #require(capture.files[1].shortfall)
            #expect(shortfall.code == .encoderFailed && shortfall.message.contains("no such codec"))
            #expect(capture.files[2].problem?.code == .encoderFailed)
            #expect(answer.files[1].problem == shortfall)
            #expect(try await Self.codecs(answer.folder + "/" + (try #require(capture.files[1].path))) == ["mjpeg"])
            try await LivePhotoCheck.expectPaired(
                try #require(answer.files[0].path), try #require(answer.files[1].path))
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }

        @Test("Encodes after a kill what an agent owed", .needs("ffmpeg", "ffprobe", "exiftool"))
        func killed() async throws {
            let (rig, answer) = try await TestRig.killedWhileEncoding("ffmpeg", Self.asked) { $0.isLive = true }
            #expect(answer.shot.status == .complete)
            #expect(answer.shot.captures[0].files.map(\.kind) == [.photo, .pairedVideo, .motionPhoto])
            try await LivePhotoCheck.expectPaired(
                try #require(answer.files[0].path), try #require(answer.files[1].path))
            #expect(try await Self.codecs(try #require(answer.files[1].path)) == ["h264"])
            try await LivePhotoCheck.expectTimes(try #require(answer.files[1].path), answer.shot.captures[0])
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }

        @Test("Refuses H.264 clips on a node without an encoder, and records plain ones")
        func noEncoder() async throws {
            var plans = NodePlan.nodes(1, cameras: 1) { $0.isLive = true }
            plans[0].environment = ["PATH": "/nowhere"]
            let rig = try await TestRig.started(plans)
            try await rig.awaitRing(reaching: .milliseconds(1500))
            let refused = try await rig.trigger("--all", "--clip-codec", "h264", expecting: 4)
            let problem = refused.shot.captures[0].problem
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("ffmpeg") == true)
            let plain = try await rig.trigger("--all", expecting: 0)
            #expect(plain.shot.captures[0].files.map(\.kind) == [.photo, .pairedVideo])
            try await rig.end()
        }

        /// What exiftool reads of the file leads to a movie that plays; both halves are whole.
        private static func expectMotionPhoto(
            _ path: String, _ codecs: [String], _ capture: Capture, _ rig: TestRig
        ) async throws {
            #expect(path.hasSuffix("_MP.jpg"))
            let tags = try await LivePhotoCheck.tool([
                "exiftool", "-a", "-s3", "-XMP:MotionPhoto", "-XMP:MotionPhotoPresentationTimestampUs",
                "-XMP:DirectoryItemLength", path,
            ]).output.split(separator: "\n").map(String.init)
            #expect(tags.first == "1", "\(tags)")
            let clip = try #require(capture.clip)
            let told = try #require(Int64(tags[1])) * 1000
            #expect(abs(told - clip.photoDisplayNanoseconds) < 100_000)
            // exiftool prints both lengths in one line: 0 of the still, and the movie's.
            let length = try #require(tags.last?.split(whereSeparator: { !$0.isNumber }).last)
            let cut = rig.folder.path + "/cut.mp4"
            let bytes = try await LivePhotoCheck.tool(["sh", "-c", "tail -c \(length) '\(path)' > '\(cut)'"])
            #expect(bytes.status == 0)
            #expect(try await Self.codecs(cut) == codecs)
            let decoded = try await LivePhotoCheck.tool(MovieCheck.playing(cut))
            #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
            try await LivePhotoCheck.expectTimes(cut, capture)
            let still = try await LivePhotoCheck.tool(["djpeg", "-outfile", "/dev/null", path])
            #expect(still.status == 0, "\(still.errors)")
        }

        private static func codecs(_ path: String) async throws -> [String] {
            try await LivePhotoCheck.tool([
                "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path,
            ]).output.split(separator: "\n").map { String($0.prefix { $0 != "," }) }.filter { $0 != "unknown" }
        }
    }
}
