import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct RepeatedShotTests {
        @Test("repeating a trigger fires twice, or its id is taken for another shot")
        func sameIDIsOneShot() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let id = ShotID.fresh().description
            let first = try await rig.trigger("--all", "--id", id, expecting: 0)
            #expect(try await rig.trigger("--all", "--id", id, expecting: 0).shot == first.shot)

            let refused = try await rig.capctl.run("trigger", "--all", "--id", id, "--quality", "50")
            #expect(refused.status == 4 && refused.output.isEmpty)
            #expect(refused.errors.contains(id) && refused.errors.contains("other content"))

            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            try await rig.awaitReadiness()
            #expect(try await rig.trigger("--all", "--id", id, expecting: 0).shot == first.shot)
            let refusedAgain = try await rig.capctl.run("trigger", "--node", "node1", "--id", id)
            #expect(refusedAgain.status == 4)
            try await rig.expectSound(first)
            #expect(StillCheck.stills(in: rig.library).count == 2)
            try await rig.end()
        }
    }
}
