import CaptureModel
import Glibc
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct StoppedAgentTests {
        @Test("Finishes the other cameras while a node hangs, and reports that it hangs")
        func agentStoppedBeforeTheInstant() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2))
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--at", "+1s", "--id", id.description])
            try await events.wait(for: "capture.willBeginCapture", count: 4)
            try rig.agent("node1").send(SIGSTOP)
            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            #expect(outcome.status == 3)
            for camera in ["cam1", "cam2"] {
                #expect(try answer.file("node2/" + camera).outcome == .done)
                let file = try answer.file("node1/" + camera)
                #expect(file.outcome == .missed && file.problem?.message.contains("node1") == true)
            }
            try await rig.expectSound(answer)

            try rig.agent("node1").send(SIGCONT)
            for _ in 0..<2 {
                try await events.next { $0.name == "capture.didFinishCapture" && $0.node == "node1" }
            }
            try await rig.awaitReadiness()
            let later = try await rig.trigger("--all", "--at", "+1s", "--id", id.description, expecting: 3)
            #expect(later.shot.revision >= answer.shot.revision)
            try await rig.expectSound(later)
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Reports a node that was stopped, and keeps its cameras")
        func suspended() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let events = try EventTail(of: rig)
            try rig.agent("node1").send(SIGSTOP)
            // The other node's camera makes it last.
            _ = try await rig.trigger("--all", "--at", "+4s", expecting: 3)
            try rig.agent("node1").send(SIGCONT)
            let begin = try await events.next { $0.name == "session.wasInterrupted" }
            #expect(begin.device == "node1/cam1" && begin.details["interruption"] == "nodeSuspended")
            try await events.next { $0.name == "session.interruptionEnded" && $0.device == "node1/cam1" }
            // Before or after the end of the interruption.
            let again = try EventTail(of: rig)
            let told = try await again.next { $0.name == "node.suspended" && $0.node == "node1" }
            #expect(told.details["kind"] == "processStopped")
            try await rig.awaitReadiness()
            let condition = try await rig.capctl.ask(DevicesAnswer.self, "devices").condition("node1/cam1")
            #expect(condition.state == "running" && condition.counters["stalls"]?.value == 0)
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("Stores a picture that arrives after the answer, and marks it as late")
        func agentStoppedWithPicturesInItsSpool() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2), rate: "20 kB/s")
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "10s"])
            try await events.wait(for: "capture.didFinishCapture", count: 4)
            try rig.agent("node2").send(SIGSTOP)
            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            #expect(outcome.status == 3 && answer.shot.status == .open)
            let outstanding = answer.files.filter { $0.outcome == .pending }.map(\.device.description)
            #expect(!outstanding.isEmpty && outstanding.allSatisfy { $0.hasPrefix("node2/") })

            try rig.agent("node2").send(SIGCONT)
            try await events.next { $0.name == "shot.settled" && $0.shot == id.description }
            let later = try await rig.shot(id)
            #expect(later.shot.status == .complete && later.shot.revision > answer.shot.revision)
            #expect(later.files.filter { $0.outcome == .late }.map(\.device.description) == outstanding)
            #expect(later.files.count { $0.outcome == .done } == 4 - outstanding.count)
            try await rig.expectSound(later)
            try await rig.awaitEmptySpool("node2")
            try await rig.end()
        }
    }
}
