import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct StartAndEndTests {
        @Test("two coordinators write to one library, or two agents to one spool")
        func doubleStartsAreRefused() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let second = try RunningProgram(
                "second coordinator", program: Programs.path("capcoordd"),
                arguments: ["--library", rig.library, "--base-port", "0"], log: rig.folder.path + "/second.log")
            #expect(try await second.exitStatus(within: .seconds(10)) == 1)
            let holder = try rig.coordinator.processIdentifier
            #expect(second.log.contains(rig.library) && second.log.contains("process \(holder)"), "\(second.log)")

            let agent = try RunningProgram(
                "second agent", program: Programs.path("capagentd"),
                arguments: ["--config", rig.folder.path + "/node1.yaml"], log: rig.folder.path + "/third.log")
            #expect(try await agent.exitStatus(within: .seconds(10)) == 1)
            let owner = try rig.agent("node1").processIdentifier
            #expect(agent.log.contains(rig.spool("node1")) && agent.log.contains("process \(owner)"), "\(agent.log)")

            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("daemons outlive the program that has started them, or end with an error")
        func daemonsEndWithTheirInput() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            for daemon in [try rig.agent("node1"), try rig.coordinator] {
                daemon.closeInput()
                #expect(try await daemon.exitStatus(within: .seconds(5)) == 0)
            }
        }

        @Test(
            "an agent whose coordinator is away does not run its cameras, or cannot be ended",
            arguments: [SIGTERM, SIGINT])
        func agentAloneRunsAndEnds(signal: Int32) async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startAgent("node1")
            let agent = try rig.agent("node1")
            agent.send(signal)
            #expect(try await agent.exitStatus(within: .seconds(5)) == 0)
        }
    }
}
