import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Machines that join without a code: they ask, and an admin compares fingerprints.
    @Suite(.timeLimit(.minutes(2))) struct ApprovalTests {
        @Test("A node that an admin approves takes part in the first shot")
        func approvedNode() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            let asking = try rig.startJoin("node1", try await rig.requestArguments)
            let shown = try await asking.nextLine(within: TestRig.patience) { $0.contains("capctl keys approve") }
            let request = try await rig.awaitRequest(of: "node1")
            #expect(shown.contains("'\(request.fingerprint)'") && request.role == "node")
            let approved = try await rig.capctl.run("keys", "approve", String(request.fingerprint.prefix(7 + 12)))
            #expect(approved.status == 0, "\(approved.errors)")
            #expect(try await asking.exitStatus(within: TestRig.patience) == 0, "\(asking.log)")
            // Repeating it changes nothing.
            let again = try rig.startJoin("node1", try await rig.requestArguments)
            #expect(try await again.exitStatus(within: TestRig.patience) == 0, "\(again.log)")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            try await rig.expectSound(try await rig.trigger("--all", "--no-live", expecting: 0))
            try await rig.end()
        }

        @Test("A person whose request is declined is told who has declined it")
        func declinedPerson() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            let home = try TemporaryFolder()
            let anna = Capctl(folder: home.path, environment: ["XDG_CONFIG_HOME": home.path])
            let asking = try anna.start(
                ["join"] + (try await rig.requestArguments) + ["--name", "anna", "--role", "viewer"])
            let request = try await rig.awaitRequest(of: "anna")
            #expect(request.role == "viewer")
            let declined = try await rig.capctl.run("keys", "decline", request.fingerprint)
            #expect(declined.status == 0, "\(declined.errors)")
            #expect(try await asking.exitStatus(within: TestRig.patience) == 4)
            #expect(asking.log.contains(request.fingerprint) && asking.log.contains("has declined"), "\(asking.log)")
            try await rig.end()
        }

        @Test("A node whose key the rig does not know says so, also if nobody has approved it in time")
        func unknownNode() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            try await rig.kill("node1")
            try FileManager.default.removeItem(atPath: rig.spool("node1") + "/keys/agent.key_secret")
            _ = try await rig.capctl.run("keys", "revoke", "node1")
            let asking = try rig.startJoin("node1", try await rig.requestArguments + ["--wait", "1s"])
            #expect(try await asking.exitStatus(within: TestRig.patience) == 4)
            #expect(asking.log.contains("no admin has approved this machine"), "\(asking.log)")
            try await rig.startAgent("node1")
            try await within(.seconds(10), "the node to say that its key is not known") {
                while try !rig.agent("node1").log.contains("the rig does not know key") { try await TestRig.pause() }
            }
            try await rig.end()
        }

        @Test("A request without the coordinator's key, and one with the key of another, reach nobody")
        func wrongKey() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            let other = try TestRig([])
            try await rig.startCoordinator()
            try await other.startCoordinator()
            let arguments = try await rig.requestArguments
            let keyless = try rig.startJoin("node1", Array(arguments.prefix(2)))
            #expect(try await keyless.exitStatus(within: TestRig.patience) == 64)
            #expect(keyless.log.contains("--coordinator-key"), "\(keyless.log)")
            let stranger = try await other.requestArguments
            let posed = try rig.startJoin("node1", [arguments[0], arguments[1], stranger[2], stranger[3]])
            #expect(try await posed.exitStatus(within: TestRig.patience) == 4)
            #expect(posed.log.contains("does not have the coordinator's key"), "\(posed.log)")
            #expect(try await rig.capctl.ask(KeysAnswer.self, "keys", "list").requests.isEmpty)
            try await other.end()
            try await rig.end()
        }
    }
}
