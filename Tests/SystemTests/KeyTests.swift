import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Machines that join a rig by code, and what their keys may do; each as people do it, with the programs alone.
    @Suite(.timeLimit(.minutes(2))) struct KeyTests {
        private struct Invitation: Decodable {
            var code: String
            var command: String
        }

        private struct Revocation: Decodable {
            var revoked: [Holder]
            var unconfirmed: [String]

            struct Holder: Decodable {
                var name: String
            }
        }

        /// `capctl frames info --format json`.
        private struct FramesAnswer: Decodable {
            var nodes: [Node]

            struct Node: Decodable {
                var watched: Int
            }
        }

        /// `capctl` of a person on another machine, which has nothing of the rig.
        private func person(_ folder: TemporaryFolder) -> Capctl {
            Capctl(folder: folder.path, environment: ["XDG_CONFIG_HOME": folder.path])
        }

        private func code(_ rig: TestRig, _ arguments: String...) async throws -> String {
            try await rig.capctl.ask(Invitation.self, arguments).code
        }

        @Test("A person's machine joins by code, and its role decides what it may do")
        func roles() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let home = try TemporaryFolder()
            let anna = person(home)
            let before = try await anna.run("status")
            #expect(before.status == 1 && before.errors.contains("capctl join CODE"), "\(before.errors)")

            let joined = try await anna.run("join", try await code(rig, "keys", "invite", "anna", "--role", "viewer"))
            #expect(joined.status == 0, "\(joined.errors)")
            #expect(try await anna.run("status").status == 0)
            let watched = try await anna.run("preview", "node1/cam1", "--count", "2", "--output", "/dev/null")
            #expect(watched.status == 0, "\(watched.errors)")
            let refused = try await anna.run("trigger", "--all")
            #expect(refused.status == 4 && refused.errors.contains("trigger"), "\(refused.errors)")

            let other = try TemporaryFolder()
            let used = try await person(other).run("join", try await code(rig, "keys", "invite", "ben"))
            #expect(used.status == 0, "\(used.errors)")
            let shot = try await person(other).run("trigger", "--all", "--no-live")
            #expect(shot.status == 0 && shot.output.contains("triggered by ben"), "\(shot.output)\(shot.errors)")
            try await rig.end()
        }

        @Test("A code admits one machine, and a node's code no person")
        func codes() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let once = try await code(rig, "keys", "invite", "anna")
            let homes = [try TemporaryFolder(), try TemporaryFolder()]
            #expect(try await person(homes[0]).run("join", once).status == 0)
            // The same machine may repeat the command.
            #expect(try await person(homes[0]).run("join", once).status == 0)
            let again = try await person(homes[1]).run("join", once)
            #expect(again.status == 4 && again.errors.contains("used"), "\(again.errors)")
            let cut = try await person(homes[1]).run("join", String(once.dropLast(5)))
            #expect(cut.status == 64 && cut.errors.contains("cut off"), "\(cut.errors)")
            let node = try await person(homes[1]).run("join", try await code(rig, "node", "invite", "node9"))
            #expect(node.status == 64 && node.errors.contains("capagentd join"), "\(node.errors)")
            #expect(try homes[1].names().filter { $0 != "caprig" && !$0.hasPrefix("capctl") }.isEmpty)
            try await rig.end()
        }

        @Test("A revoked viewer sees nothing more within two seconds, and the others go on")
        func revokedViewer() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let home = try TemporaryFolder()
            #expect(
                try await person(home).run("join", try await code(rig, "keys", "invite", "anna", "--role", "viewer"))
                    .status == 0)
            let watching = try person(home).start(["frames", "hz", "--for", "60s", "--format", "json"])
            try await within(.seconds(10), "the viewer to watch") {
                while try await rig.capctl.ask(FramesAnswer.self, "frames", "info").nodes.allSatisfy({ $0.watched == 0 }
                ) { try await TestRig.pause() }
            }
            let revoked = try await rig.capctl.ask(Revocation.self, "keys", "revoke", "anna")
            // Where the machine is busy, the node confirms after the command has ended.
            #expect(revoked.revoked.map(\.name) == ["anna"] && revoked.unconfirmed.allSatisfy { $0 == "node1" })
            try await within(.seconds(2), "nobody to watch") {
                while try await rig.capctl.ask(FramesAnswer.self, "frames", "info").nodes.contains(where: {
                    $0.watched > 0
                }) { try await TestRig.pause() }
            }
            watching.send(SIGINT)
            _ = try await watching.exitStatus(within: .seconds(10))
            let later = try await person(home).run("status")
            #expect(later.status == 4 && later.errors.contains("was revoked and is never accepted"), "\(later.errors)")
            try await rig.expectSound(try await rig.trigger("--all", "--no-live", expecting: 0))
            try await rig.end()
        }

        @Test("A viewer who is revoked while they watch or follow events is told so within a second")
        func revokedWhileWatching() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let home = try TemporaryFolder()
            #expect(
                try await person(home).run("join", try await code(rig, "keys", "invite", "anna", "--role", "viewer"))
                    .status == 0)
            let pictures = home.path + "/pictures.mjpeg"
            let watching = [
                try person(home).start(["preview", "node1/cam1", "--output", pictures]),
                try person(home).start(["events", "--replay"]),
            ]
            _ = try await watching[1].nextLine(within: .seconds(10)) { _ in true }
            try await within(.seconds(10), "pictures to arrive") {
                while FileManager.default.contents(atPath: pictures)?.isEmpty ?? true { try await TestRig.pause() }
            }
            _ = try await rig.capctl.ask(Revocation.self, "keys", "revoke", "anna")
            for program in watching {
                #expect(try await program.exitStatus(within: .seconds(2)) == 4)
                #expect(program.log.contains("was revoked and is never accepted"), "\(program.log)")
                #expect(!program.log.contains("status:"), "\(program.log)")
            }
            try await rig.end()
        }

        @Test("A node with another port of its coordinator is told the right one, and nothing of its key")
        func wrongPort() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            try await rig.kill("node1")
            let control = rig.control
            let port = try #require(control.split(separator: ":").last.flatMap { Int($0) })
            let reasons = [3: "set `coordinator` in this node's configuration to \(control)", 5: "does not answer"]
            for (offset, reason) in reasons {
                let wrong = control.replacing(":\(port)", with: ":\(port + offset)")
                let agent = try rig.startAgentAlone("node1", coordinator: wrong)
                try await within(.seconds(30), "the reason") {
                    while !agent.log.contains(reason) { try await TestRig.pause() }
                }
                #expect(!agent.log.contains("does not admit this node's key"), "\(agent.log)")
                try await agent.killNow()
            }
            try await rig.end()
        }

        @Test("A revoked node is refused and says why, and its name is free for another machine")
        func revokedNode() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            _ = try await rig.capctl.ask(Revocation.self, "keys", "revoke", "node2")
            try await within(.seconds(10), "the node to say that its key was revoked") {
                while try !rig.agent("node2").log.contains("was revoked and is never accepted") {
                    try await TestRig.pause()
                }
            }
            try await rig.expectSound(try await rig.trigger("--node", "node1", "--no-live", expecting: 0))
            try await rig.kill("node2")
            try FileManager.default.removeItem(atPath: rig.spool("node2") + "/keys")
            try await rig.startAgent("node2")
            try await rig.awaitReadiness()
            try await rig.end()
        }

        @Test(
            "A join that a crash or a full disk of the coordinator cuts short is repeated with the same code",
            arguments: [
                "keys.file.durable=crash,hit=3", "keys.file.write=fail:ENOSPC,hit=3",
                "coordinator.join.send.reply=drop",
            ])
        func joinCutShort(fault: String) async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1), faults: [fault])
            try await rig.startCoordinator()
            let code = try await code(rig, "node", "invite", "node1")
            #expect(try await rig.join("node1", with: code).status != 0)
            if fault.contains("crash") {
                #expect(try await rig.coordinator.exitStatus(within: .seconds(5)) != 0)
                try await rig.startCoordinator()
            }
            let again = try await rig.join("node1", with: code)
            #expect(again.status == 0, "\(again.log)")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
            try await rig.end()
        }

        @Test("A daemon whose own test finds that a stranger is not refused ends before it reads a message")
        func failedSelfTest() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            try await rig.end()
            let planted = ["--fault", "gate.connection.decide=hang"]
            for (name, arguments) in [
                ("capcoordd", ["--library", rig.library, "--base-port", "0"]),
                ("capagentd", ["--config", rig.folder.path + "/node1.yaml"]),
            ] {
                let daemon = try RunningProgram(
                    name, program: Programs.path(name), arguments: arguments + planted,
                    log: "\(rig.folder.path)/\(name).log")
                #expect(try await daemon.exitStatus(within: .seconds(20)) == 1)
                #expect(daemon.log.contains("did not refuse an unknown key"), "\(daemon.log)")
            }
        }

        @Test(
            "A configuration of another coordinator is refused before it takes effect, and a missing coordinator is said"
        )
        func otherCoordinator() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            let other = try TestRig([])
            try await rig.startCoordinator()
            try await other.startCoordinator()
            let code = try await code(rig, "node", "invite", "node1")
            let refused = try await rig.join("node1", with: code, coordinator: other.control)
            #expect(refused.status == 4 && refused.log.contains("write `coordinator: tcp://"), "\(refused.log)")
            #expect(!FileManager.default.fileExists(atPath: rig.spool("node1") + "/keys/coordinator.key"))
            let joined = try await rig.join("node1", with: code)
            #expect(joined.status == 0, "\(joined.log)")
            try await other.end()
            try await rig.end()
            let late = try await rig.join("node1", with: code)
            #expect(late.status == 6 && late.log.contains("no coordinator answers"), "\(late.log)")
        }

        @Test("A code that was made before the coordinator's key was replaced admits its machine")
        func olderCode() async throws {
            let rig = try TestRig(NodePlan.nodes(2, cameras: 1))
            try await rig.startCoordinator()
            // A node that is away keeps the old key served.
            #expect(try await rig.join("node1", with: try await code(rig, "node", "invite", "node1")).status == 0)
            let older = try await code(rig, "node", "invite", "node2")
            let rotated = try await rig.capctl.run("keys", "rotate")
            #expect(rotated.status == 3, "\(rotated.output)\(rotated.errors)")
            let joined = try await rig.join("node2", with: older)
            #expect(joined.status == 0, "\(joined.log)")
            for node in ["node1", "node2"] { try await rig.startAgent(node) }
            // The rig's own copy of the admin key's folder has the old key.
            let admin = Capctl(folder: rig.folder.path, admin: rig.library + "/.caprig/admin")
            try await within(.seconds(20), "both nodes to be connected") {
                while try await admin.ask(StatusAnswer.self, "status").nodes.count(where: \.connected) < 2 {
                    try await TestRig.pause()
                }
            }
            try await rig.end()
        }

        @Test("Without a key nothing is answered, and the message says what to do")
        func noKey() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let stranger = person(rig.folder)
            let outcome = try await stranger.run("status", "--coordinator", rig.client)
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome.errors)")
            #expect(outcome.errors.contains("capctl join CODE"), "\(outcome.errors)")
            let agent = try RunningProgram(
                "stranger", program: Programs.path("capagentd"),
                arguments: ["--node", "node9", "--coordinator", rig.control, "--spool", rig.folder.path + "/node9"],
                log: rig.folder.path + "/node9.log")
            #expect(try await agent.exitStatus(within: .seconds(10)) == 1)
            #expect(agent.log.contains("capagentd join CODE"), "\(agent.log)")
            try await rig.end()
        }
    }
}
