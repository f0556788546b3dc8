import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct AgentCrashTests {
        /// A rig of two nodes with a shot whose cameras are all armed for an instant that is far enough ahead to kill one of them
        /// before.
        private func armed() async throws -> (rig: TestRig, trigger: RunningProgram, shot: ShotID) {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2))
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--at", "+4s", "--id", id.description])
            try await events.wait(for: "capture.willBeginCapture", count: 4)
            return (rig, trigger, id)
        }

        /// The other node's pictures are there; each of node1's is there or has a reason.
        private func expectHonest(_ answer: ShotAnswer, _ outcome: Capctl.Outcome) throws {
            for device in ["node2/cam1", "node2/cam2"] { #expect(try answer.file(device).outcome == .done) }
            let mine = answer.files.filter { $0.device.node.rawValue == "node1" }
            #expect(mine.count == 2)
            for file in mine where file.outcome != .done {
                #expect(file.outcome == .missed && file.path == nil)
                #expect(file.problem?.message.contains("node1") == true)
            }
            let isComplete = mine.allSatisfy { $0.outcome == .done }
            #expect(answer.shot.status == (isComplete ? .complete : .partial))
            #expect(outcome.status == (isComplete ? 0 : 3))
        }

        @Test("Finishes or fails a shot whose agent crashes before T and returns")
        func agentKilledBeforeTheInstantAndRestarted() async throws {
            let (rig, trigger, _) = try await armed()
            try await rig.kill("node1")
            try await rig.startAgent("node1")
            let events = try EventTail(of: rig)
            for _ in 0..<2 {
                try await events.next {
                    $0.name == "capture.didFinishCapture" && $0.details["code"] == "agentRestarted"
                }
            }
            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            try expectHonest(answer, outcome)
            try await rig.expectSound(answer)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test("Finishes the other cameras of a shot whose agent crashes for good")
        func agentKilledBeforeTheInstantForGood() async throws {
            let (rig, trigger, id) = try await armed()
            try await rig.kill("node1")
            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            try expectHonest(answer, outcome)
            #expect(answer.shot.status == .partial)
            try await rig.expectSound(answer)

            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            let later = try await rig.shot(id)
            #expect(later.shot.status == .partial && later.storedPaths == answer.storedPaths)
            let next = try await rig.trigger("--all", expecting: 0)
            try await rig.expectSound(next)
            try await rig.end()
        }

        @Test("Delivers the pictures of an agent that crashes after taking them")
        func agentKilledWithPicturesInItsSpool() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2), rate: "20 kB/s")
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "30s"])
            try await events.wait(for: "capture.didFinishCapture", count: 4)
            try await rig.kill("node2")
            try await rig.startAgent("node2")
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 0, "\(outcome.output)")
            try await rig.expectSound(try outcome.json(ShotAnswer.self))
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }
    }
}
