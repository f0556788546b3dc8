import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// Keys that are replaced and revoked while a rig works.
    @Suite(.timeLimit(.minutes(3))) struct KeyRotationTests {
        private struct Invitation: Decodable {
            var code: String
        }

        private struct Rotation: Decodable {
            var newKey: String
            var oldKeyIsServed: Bool
            var unconfirmed: [Holder]

            struct Holder: Decodable {
                var name: String
            }
        }

        private struct Revocation: Decodable {
            var revoked: [Rotation.Holder]
        }

        /// The administrators' `capctl` of the coordinator's machine, which reads the key that the coordinator has written last.
        private func admin(_ rig: TestRig) -> Capctl {
            Capctl(folder: rig.folder.path, admin: rig.library + "/.caprig/admin")
        }

        /// A person who has joined from another machine.
        private func person(_ name: String, _ role: String, of rig: TestRig) async throws -> Capctl {
            let home = "\(rig.folder.path)/\(name)"
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            let capctl = Capctl(folder: home, environment: ["XDG_CONFIG_HOME": home])
            let code = try await admin(rig).ask(Invitation.self, "keys", "invite", name, "--role", role).code
            let joined = try await capctl.run("join", code)
            #expect(joined.status == 0, "\(joined.errors)")
            return capctl
        }

        private func shoot(with capctl: Capctl, _ selection: String...) async throws -> ShotAnswer {
            let chosen = selection.isEmpty ? ["--all"] : selection
            let outcome = try await capctl.run(["trigger", "--no-live", "--format", "json"] + chosen)
            #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            return try outcome.json(ShotAnswer.self)
        }

        @Test("No shot of one a second is lost while the coordinator's key is replaced twice and a key is revoked")
        func shotsMeanwhile() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            _ = try await person("anna", "viewer", of: rig)
            let ben = try await person("ben", "admin", of: rig)
            // In each twenty seconds; a key is revoked once.
            let rotations: [Int: [String]] = [3: ["keys", "rotate"], 13: ["keys", "rotate", "--compromised"]]
            // CAPRIG_ROTATION_SECONDS=120 makes a longer run.
            let seconds = ProcessInfo.processInfo.environment["CAPRIG_ROTATION_SECONDS"].flatMap { Int($0) } ?? 20
            var shots: [ShotAnswer] = []
            for second in 0..<seconds {
                async let pace: Void = Task.sleep(for: .seconds(1))
                async let shot = shoot(with: ben)
                if let change = second == 8 ? ["keys", "revoke", "anna"] : rotations[second % 20] {
                    let outcome = try await ben.run(change)
                    #expect(outcome.status == 0 || outcome.status == 3, "\(change): \(outcome.errors)")
                }
                shots.append(try await shot)
                try await pace
            }
            for shot in shots { try await rig.expectSound(shot, asking: ben) }
            try await rig.end()
        }

        @Test(
            "A shot that is under way while the coordinator's key is replaced gets its answer",
            arguments: [[], ["--compromised"]])
        func underWay(options: [String]) async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let ben = try await person("ben", "admin", of: rig)
            let events = try EventTail(of: rig)
            let trigger = try ben.start(["trigger", "--all", "--no-live", "--lead", "3s", "--format", "json"])
            try await events.wait(for: "shot.accepted")
            // By another program, which keeps the new key where the one that waits finds it.
            let rotated = try await ben.run(["keys", "rotate"] + options)
            #expect(rotated.status == 0 || rotated.status == 3, "\(rotated.errors)")
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            try await rig.expectSound(try outcome.json(ShotAnswer.self), asking: ben)
            try await rig.end()
        }

        @Test(
            "A node that was away finds the coordinator with the old key, learns the new one, and then the old one ends"
        )
        func away() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let anna = try await person("anna", "admin", of: rig)
            try await rig.kill("node2")
            let rotation = try await anna.ask(Rotation.self, "keys", "rotate")
            #expect(rotation.unconfirmed.map(\.name) == ["node2"] && rotation.oldKeyIsServed)
            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            try await rig.startAgent("node2")
            try await within(.seconds(20), "every holder to know the new key") {
                while try await anna.run("keys", "list").output.contains("not known yet by") {
                    try await TestRig.pause()
                }
            }
            try await within(.seconds(20), "both nodes") {
                while try await anna.run("trigger", "--all", "--require-all", "--no-live").status != 0 {
                    try await TestRig.pause()
                }
            }
            try await rig.expectSound(try await shoot(with: anna), asking: anna)
            try await rig.end()
        }

        @Test("A compromised key ends at once, and a node that was away joins again")
        func compromised() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            try await rig.kill("node2")
            let rotation = try await admin(rig).ask(Rotation.self, "keys", "rotate", "--compromised")
            #expect(rotation.unconfirmed.map(\.name) == ["node2"] && !rotation.oldKeyIsServed)
            try await rig.expectSound(try await shoot(with: admin(rig), "--node", "node1"), asking: admin(rig))
            try FileManager.default.removeItem(atPath: rig.spool("node2") + "/keys")
            let revoked = try await admin(rig).ask(Revocation.self, "keys", "revoke", "node2")
            #expect(revoked.revoked.map(\.name) == ["node2"])
            let code = try await admin(rig).ask(Invitation.self, "node", "invite", "node2").code
            #expect(try await rig.join("node2", with: code).status == 0)
            try await rig.startAgent("node2")
            try await within(.seconds(20), "both nodes") {
                while try await admin(rig).run("trigger", "--all", "--require-all", "--no-live").status != 0 {
                    try await TestRig.pause()
                }
            }
            try await rig.end()
        }

        @Test("A coordinator whose disk was lost is restored from an exported file, and its nodes and people know it")
        func lostCoordinator() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let anna = try await person("anna", "operator", of: rig)
            let secret = try rig.folder.write(Array("correct horse battery\n".utf8), as: "passphrase")
            let file = rig.folder.path + "/keys.export"
            let exported = try await admin(rig).run("keys", "export", file, "--passphrase-file", secret)
            #expect(exported.status == 0, "\(exported.errors)")
            try await rig.kill("coordinator")
            try FileManager.default.removeItem(atPath: rig.library)
            let restored = try RunningProgram(
                "restore", program: Programs.path("capcoordd"),
                arguments: ["restore", file, "--library", rig.library, "--passphrase-file", secret],
                log: rig.folder.path + "/restore.log")
            #expect(try await restored.exitStatus(within: .seconds(20)) == 0, "\(restored.log)")
            try await rig.startCoordinator()
            try await within(.seconds(20), "the node to come back by itself") {
                while try await anna.run("trigger", "--all", "--no-live").status != 0 { try await TestRig.pause() }
            }
            try await rig.end()
        }
    }
}
