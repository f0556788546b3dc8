import CaptureModel
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct ShutdownTests {
        /// How long an orderly end may take.
        private static let limit = Duration.seconds(5)

        private func armed(_ rate: String = "unlimited", at instant: String = "+1.5s") async throws -> (
            rig: TestRig, trigger: RunningProgram
        ) {
            let plans = NodePlan.nodes(2, cameras: 2) { ($0.width, $0.height) = (1920, 1080) }
            let rig = try await TestRig.started(plans, rate: rate)
            let events = try EventTail(of: rig)
            let trigger = try rig.startTrigger(["--all", "--at", instant, "--timeout", "20s"])
            try await events.wait(for: "capture.willBeginCapture", count: 4)
            return (rig, trigger)
        }

        @Test("Finishes captures under way before an agent ends")
        func agentEndedBeforeTheInstant() async throws {
            let (rig, trigger) = try await armed()
            let agent = try rig.agent("node1")
            agent.send(SIGTERM)
            #expect(try await agent.exitStatus(within: Self.limit) == 0, "\(agent.log)")
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            try await rig.expectSound(try outcome.json(ShotAnswer.self))
            try await rig.awaitEmptySpool("node1")
        }

        @Test("Refuses shots during an agent's shutdown, with the reason")
        func agentEndedLongBeforeTheInstant() async throws {
            let (rig, trigger) = try await armed(at: "+9s")
            let agent = try rig.agent("node1")
            agent.send(SIGTERM)
            #expect(try await agent.exitStatus(within: Self.limit) == 0, "\(agent.log)")
            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            #expect(outcome.status == 3 && answer.shot.status == .partial)
            for device in ["node1/cam1", "node1/cam2"] {
                let file = try answer.file(device)
                #expect(file.outcome == .missed && file.problem?.code == .nodeUnreachable)
                #expect(file.problem?.message.contains("is ending") == true)
            }
            try await rig.expectSound(answer)
        }

        @Test("Loses and doubles nothing when a coordinator ends while collecting")
        func coordinatorEndedWhileCollecting() async throws {
            let plans = NodePlan.nodes(2, cameras: 2) { ($0.width, $0.height) = (1920, 1080) }
            let rig = try await TestRig.started(plans, rate: "500 kB/s")
            let incoming = try FolderWatch(rig.library + "/.incoming")
            let trigger = try rig.startTrigger(["--all", "--timeout", "30s"])
            try await incoming.wait(for: .came, count: 2, within: .seconds(20))
            let coordinator = try rig.coordinator
            coordinator.send(SIGTERM)
            #expect(try await coordinator.exitStatus(within: Self.limit) == 0, "\(coordinator.log)")
            try await rig.startCoordinator()
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            try await rig.expectSound(try outcome.json(ShotAnswer.self))
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
        }

        @Test("Delivers the files of an agent that ends after it restarts")
        func agentEndedWhileCollected() async throws {
            let plans = NodePlan.nodes(1, cameras: 2) { ($0.width, $0.height) = (1920, 1080) }
            let rig = try await TestRig.started(plans, rate: "60 kB/s")
            let incoming = try FolderWatch(rig.library + "/.incoming")
            let trigger = try rig.startTrigger(["--all", "--timeout", "60s"])
            try await incoming.wait(for: .came, within: .seconds(20))
            let agent = try rig.agent("node1")
            agent.send(SIGTERM)
            #expect(try await agent.exitStatus(within: Self.limit) == 0, "\(agent.log)")
            try await rig.startAgent("node1")
            let outcome = try await Capctl.outcome(of: trigger, within: .seconds(60))
            #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            try await rig.expectSound(try outcome.json(ShotAnswer.self))
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }

        @Test("Ends at once when it is told twice")
        func toldTwice() async throws {
            let (rig, _) = try await armed(at: "+9s")
            let agent = try rig.agent("node1")
            agent.send(SIGTERM)
            agent.send(SIGINT)
            // Less than it takes to give up the captures that are armed.
            #expect(try await agent.exitStatus(within: .seconds(2)) == 1, "\(agent.log)")
            #expect(agent.log.contains("second signal"))
        }
    }
}
