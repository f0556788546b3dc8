import CaptureTestSupport
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct AVCamTests {
        private static let life = [
            "willBeginCapture", "willCapturePhoto", "didCapturePhoto", "previewAvailable", "didFinishProcessingPhoto",
            "didFinishProcessingPhoto", "didFinishRecordingLivePhotoMovie", "didFinishProcessingLivePhotoMovie",
            "didFinishCapture",
        ]

        @Test(
            "the example of the API does not do what its walk-through says, or leaves photos nobody can open",
            .needs("jpeginfo", "exiftool", "ffprobe"))
        func walk() async throws {
            let folder = try TemporaryFolder()
            let program = try RunningProgram(
                "avcam", program: try Programs.path("avcam"), arguments: [folder.path], log: folder.path + "/log")
            let lines = try await program.restOfOutput(within: .seconds(30)).split(separator: "\n").map(String.init)
            #expect(try await program.exitStatus(within: .seconds(5)) == 0, "\(program.log)")

            let words = lines.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(words.filter(Self.life.contains) == Self.life + Self.life, "one life for each camera, in order")
            #expect(lines.contains("the default camera is here/back"), "the chain prefers the back camera")
            #expect(lines.contains("switched: input: here/back → here/front"))
            #expect(lines.filter { $0.hasSuffix(": didStartRunning") }.count == 2)
            #expect(lines.filter { $0.hasSuffix(": didStopRunning") }.count == 2, "the camera is closed in the end")

            let stills = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix("-photo.jpg") }.map { folder.path + "/" + $0 }
            try #require(stills.count == 2)
            try await StillCheck.expectWhole(stills)
            try await StillCheck.expectValidMetadata(stills)
            for still in stills { try await LivePhotoCheck.expectPaired(still, clipBeside(still)) }
        }

        private func clipBeside(_ still: String) -> String {
            still.replacing("-photo.jpg", with: "-pairedVideo.mov")
        }
    }
}
