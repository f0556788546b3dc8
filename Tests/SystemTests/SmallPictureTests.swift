import CaptureModel
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SmallPictureTests {
        @Test(
            "A preview or thumbnail that was asked for is not stored, not a picture, or told after the slow save",
            .needs("exiftool", "jpeginfo"))
        func previewAndThumbnail() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let id = ShotID.fresh().description
            let answer = try await rig.trigger("--all", "--preview", "--thumbnail", "square", "--id", id, expecting: 0)
            try await rig.expectSound(answer)
            #expect(answer.storedPaths.count == 4 && answer.storedPaths.count { $0.contains("preview") } == 2)
            try await StillCheck.expectValidMetadata(answer.storedPaths)
            for capture in answer.shot.captures {
                #expect(capture.resolved?.preview == PixelSize(width: 320, height: 180))
                #expect(capture.resolved?.thumbnail == PixelSize(width: 90, height: 90))
            }
            let watch = try await rig.capctl.run("watch", id, "--device", "node1/cam1")
            let steps = watch.output.split(separator: "\n").map { $0.split(separator: " ")[2] }
            #expect(
                steps == [
                    "capture.willBeginCapture", "capture.willCapturePhoto", "capture.didCapturePhoto",
                    "capture.previewAvailable", "capture.didFinishProcessingPhoto",
                    "capture.didFinishProcessingPhoto", "capture.didFinishCapture",
                ], "\(watch.output)")
            let plain = try await rig.trigger("--all", expecting: 0)
            #expect(plain.storedPaths.count == 2)
            try await rig.end()
        }
    }
}
