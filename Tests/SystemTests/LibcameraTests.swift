import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System.CapabilityTests {
    /// A camera of libcamera that delivers its sensor's samples. A stand-in writes them.
    @Suite struct LibcameraTests {
        @Test(
            "Takes photo and samples of one exposure, with the colors that the camera tells of them",
            .needs("exiftool"))
        func samples() async throws {
            let camera = try ProgramSensor(.libcamera)
            let rig = try await TestRig.started([camera.rawPlan])
            let answer = try await rig.completeShot("--all", "--raw+jpeg")
            let capture = try #require(answer.shot.captures.first)
            let timing = try #require(capture.timing)
            #expect(capture.files.map(\.kind) == [.photo, .alternatePhoto])
            let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
            // The exposure is 4 ms.
            let truth = try GEVSensor.truth(of: paths[1]) + .milliseconds(2)
            #expect((truth - timing.localMidExposure).magnitude <= timing.midExposure.bound)
            try await StillCheck.expectValidMetadata(paths)
            let tags = ["-Model", "-AsShotNeutral", "-BlackLevel", "-WhiteLevel"]
            let told = try await LivePhotoCheck.tool(["exiftool", "-s3"] + tags + [paths[1]])
            #expect(told.output.split(separator: "\n") == ["Program camera", "0.5 1 0.625", "16", "255"])
            try await rig.end()
            camera.stop()
        }
    }
}
