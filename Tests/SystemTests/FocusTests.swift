import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Focusing over the wire: one camera can focus once, one fails to, and one has no button.
    @Suite(.timeLimit(.minutes(1))) struct FocusTests {
        private struct Answer: Decodable {
            var cameras: [Camera]

            struct Camera: Decodable {
                var outcome: String
                var effect: Effect?
                var entries: [Entry]
                var problem: RigProblem?
            }

            struct Effect: Decodable {
                var evidence: String
            }

            struct Entry: Decodable {
                var refused: String?
            }
        }

        private func set(_ rig: TestRig, _ arguments: String..., expecting status: Int32) async throws -> Answer {
            let outcome = try await rig.capctl.run(["settings", "set"] + arguments + ["--format", "json"])
            #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
            return try outcome.json(Answer.self)
        }

        @Test func `A camera focuses once, and again when a lamp is switched on, and the others say why not`()
            async throws
        {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 3) { camera in
                    (camera.width, camera.height) = (1280, 720)
                    if camera.number == 1 { camera.virtual = ["controls: { focusFrames: 6 }"] }
                    if camera.number == 2 { camera.virtual = ["controls: { focusFrames: 6, focusFails: true }"] }
                })
            let events = try EventTail(of: rig)
            let answer = try await set(rig, "focusMode=once", "refocusOnSceneChange=on", "--all", expecting: 3)
            #expect(answer.cameras.map(\.outcome) == ["set", "failed", "refused"])
            #expect(answer.cameras[0].effect?.evidence == "status")
            #expect(answer.cameras[1].problem?.message.contains("focusing has failed") == true)
            let reasons = answer.cameras[2].entries.compactMap(\.refused)
            #expect(reasons.count == 2 && reasons.allSatisfy { $0.contains("auto_focus_start") }, "\(reasons)")
            let details = try await rig.capctl.run("devices", "show", "node1/cam1", "-o", "wide").output
            #expect(details.contains("refocus_on_scene_change"))

            // Long enough for the scene to be learnt.
            try await rig.expectSound(try await rig.trigger("--all", "--at", "+2s", expecting: 0))
            let lamp = try await rig.capctl.run("devices", "set", "node1/cam1", "flash_led_mode=2")
            #expect(lamp.status == 0, "\(lamp.errors)")
            let event = try await events.next { $0.name == "settings.refocused" }
            #expect(event.device == "node1/cam1" && event.details["outcome"] == "reached", "\(event)")
            #expect(event.details["positionBefore"] != event.details["positionAfter"], "\(event)")
            #expect(event.details["pressedRigNanoseconds"] != nil && event.details["count"] == "1", "\(event)")
            try await rig.end()
        }
    }
}
