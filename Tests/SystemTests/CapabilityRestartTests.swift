import CaptureModel
import Testing

extension System.CapabilityTests {
    /// Programs that are killed while they take a picture, and started again.
    @Suite struct RestartTests {
        @Test("Delivers, or explains, the picture of an agent that was killed, and takes the next one")
        func agent() async throws {
            let rig = try await TestRig.started(System.CapabilityTests.nodes(2))
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "60s"])
            var spooled: Set<String> = []
            for _ in 0..<2 {
                let told = try await events.next {
                    $0.name == "capture.didFinishCapture" && $0.shot == id.description
                }
                if told.details["code"] == nil { spooled.insert(try #require(told.device)) }
            }
            try await rig.kill("node2")
            try await rig.startAgent("node2")
            _ = try await Capctl.outcome(of: trigger)

            let answer = try await rig.settledShot(id, ["--all"])
            try await rig.expectTruthful(answer.shot, in: answer.folder)
            for device in spooled {
                #expect(try answer.file(device).path != nil, "\(device) had its picture in the spool")
            }
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.awaitReadiness()
            _ = try await rig.completeShot("--all")
            try await rig.end()
        }

        @Test("Ends a shot once whose coordinator was killed, and takes the next one")
        func coordinator() async throws {
            let rig = try await TestRig.started(System.CapabilityTests.nodes(2))
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "60s"])
            try await events.next { $0.name == "capture.willBeginCapture" && $0.shot == id.description }
            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            _ = try await Capctl.outcome(of: trigger)

            let answer = try await rig.settledShot(id, ["--all"])
            #expect(answer.files.count == 2)
            try await rig.expectTruthful(answer.shot, in: answer.folder)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            #expect(try await rig.settledShot(id, ["--all"]).shot == rig.shot(id).shot)
            #expect(StillCheck.stills(in: rig.library).count <= 2, "the shot was fired once")
            try await rig.awaitReadiness()
            _ = try await rig.completeShot("--all")
            try await rig.end()
        }
    }
}
