import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System.CapabilityTests {
    /// A camera of GigE Vision, whose frames are raw.
    @Suite struct AravisTests {
        @Test(
            "Takes photo and samples of a GigE Vision camera, within the bound of its exposure, also after a crash",
            .needs("exiftool"))
        func pictures() async throws {
            let camera = try await GEVSensor.started(["--formats", "BayerRG8"])
            let rig = try await TestRig.started([camera.plan])
            try await expectPicture(rig)
            // The killed agent leaves the camera taken for three seconds.
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            try await expectPicture(rig)
            try await rig.end()
            try await camera.stop()
        }

        @Test("A camera that is to expose at T misses it with the reason, on a node whose clock does not follow PTP")
        func unsynchronized() async throws {
            let camera = try await GEVSensor.started(["--actions"])
            let plan = NodePlan(name: "node1", cameras: [camera.camera("cam1", number: 1, exposure: "scheduled")])
            let rig = try await TestRig.started([plan])
            let answer = try await rig.trigger("--all", "--lead", "5s", expecting: 4)
            let problem = try #require(try answer.file("node1/cam1").problem)
            #expect(problem.code == .unsynchronized && problem.message.contains("clock.discipline"), "\(problem)")
            try await rig.end()
            try await camera.stop()
        }

        private func expectPicture(_ rig: TestRig) async throws {
            let answer = try await rig.completeShot("--all", "--raw+jpeg")
            let capture = try #require(answer.shot.captures.first)
            let timing = try #require(capture.timing)
            #expect(capture.files.map(\.kind) == [.photo, .alternatePhoto])
            let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
            // The exposure is 4 ms.
            let truth = try GEVSensor.truth(of: paths[1]) + .milliseconds(2)
            #expect((truth - timing.localMidExposure).magnitude <= timing.midExposure.bound)
            try await StillCheck.expectValidMetadata(paths)
            let tags = try await LivePhotoCheck.tool(["exiftool", "-s3", "-Make", "-Model", "-ImageSize", paths[0]])
            #expect(tags.output.split(separator: "\n") == ["Caprig", "Fake camera", "320x240"])
        }
    }
}
