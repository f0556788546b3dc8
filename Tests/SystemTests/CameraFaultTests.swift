import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct CameraFaultTests {
        /// One node whose cameras are whole, busy, denied and absent.
        private func rigOfBrokenCameras() async throws -> TestRig {
            let faults = [[], ["{ kind: busy }"], ["{ kind: denied }"], ["{ kind: unplugged }"]]
            return try await TestRig.started(NodePlan.nodes(1, cameras: 4) { $0.faults = faults[$0.number - 1] })
        }

        @Test("a camera that does not work takes the others of its node along, or does not say why")
        func brokenCamerasAreNamedAndTheOthersGoOn() async throws {
            let rig = try await rigOfBrokenCameras()
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            let answer = try await rig.trigger("--all", expecting: 3)
            #expect(try answer.file("node1/cam1").outcome == .done)
            for (camera, state) in [("cam2", "busy"), ("cam3", "denied"), ("cam4", "absent")] {
                let condition = try devices.condition("node1/" + camera)
                #expect(condition.state == state)
                let file = try answer.file("node1/" + camera)
                let reason = try #require(condition.reason)
                #expect(file.outcome == .missed && file.problem?.message.contains(reason) == true)
            }
            try await rig.expectSound(answer)
            try await rig.end()
        }

        @Test("with --require-all some cameras fire although others cannot")
        func requireAllFiresNothing() async throws {
            let rig = try await rigOfBrokenCameras()
            let answer = try await rig.trigger("--all", "--require-all", expecting: 4)
            #expect(answer.files.allSatisfy { $0.outcome == .missed && $0.problem != nil })
            #expect(StillCheck.stills(in: rig.library).isEmpty)
            let events = try EventTail(of: rig)
            try await events.next { event in
                #expect(event.name != "capture.didCapturePhoto")
                return event.name == "shot.settled"
            }
            try await rig.expectSound(try await rig.trigger("--device", "node1/cam1", "--require-all", expecting: 0))
            try await rig.end()
        }

        @Test("a torn image becomes a still", .needs("jpeginfo"))
        func tornFramesAreNoStills() async throws {
            let faults = ["{ kind: torn, every: 3 }", "{ kind: torn }"]
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2) { $0.faults = [faults[$0.number - 1]] })
            for _ in 0..<6 {
                let answer = try await rig.trigger("--all", expecting: 3)
                #expect(try answer.file("node1/cam1").outcome == .done)
                #expect(try answer.file("node1/cam2").outcome == .missed)
                try await rig.expectSound(answer)
            }
            #expect(StillCheck.stills(in: rig.library).count == 6)
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            for camera in ["cam1", "cam2"] {
                #expect(try devices.condition("node1/" + camera).counters["torn", default: 0] > 0)
            }
            try await rig.end()
        }
    }
}
