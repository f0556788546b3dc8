import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct RawTests {
        /// One camera of a Bayer sensor with RAW, and one that delivers JPEG.
        private func plans() -> [NodePlan] {
            var plans = NodePlan.nodes(1, cameras: 2)
            plans[0].cameras[0].settings = ["raw: true", "format: { pixelFormat: RG10 }"]
            return plans
        }

        @Test func `in a mixed rig RAW comes of the cameras that have it, and no camera loses its photo`() async throws
        {
            let rig = try await TestRig.started(plans())
            let answer = try await rig.trigger("--all", "--raw+jpeg", expecting: 0)
            #expect(answer.shot.captures.map { $0.files.map(\.kind) } == [[.photo, .alternatePhoto], [.photo]])
            #expect(answer.files.allSatisfy { $0.outcome == .done })
            #expect(answer.shot.captures[0].rawNote == nil)
            #expect(answer.shot.captures[1].rawNote?.contains("the camera delivers MJPG") == true)

            let strict = try await rig.trigger("--all", "--raw+jpeg", "--raw-required", expecting: 3)
            #expect(strict.shot.captures.map(\.phase) == [.done, .missed])
            #expect(strict.shot.captures[1].problem?.code == .unsupportedSettings)
            try await rig.end()
        }
    }
}
