import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

/// `capctl audit list --format json`.
private struct AuditAnswer: Decodable {
    var records: [Record]

    struct Record: Decodable {
        var details: [String: String]
        var fingerprint: String
        var kind: String
        var principal: String
        var sequence: DecimalText<UInt64>
        var subject: String
    }
}

/// `capctl audit verify --format json`.
private struct VerificationAnswer: Decodable {
    var comparison: String?
    var head: String?
    var isIntact: Bool
    var problems: [Problem]

    struct Problem: Decodable {
        var file: String
        var line: Int
    }
}

extension System {
    /// The audit log of a rig, as an administrator reads it.
    @Suite(.timeLimit(.minutes(2))) struct AuditTests {
        private struct Invitation: Decodable {
            var code: String
        }

        private func folder(_ rig: TestRig) -> String { rig.library + "/.caprig/audit" }

        private func records(_ rig: TestRig, _ arguments: String...) async throws -> [AuditAnswer.Record] {
            try await rig.capctl.ask(AuditAnswer.self, ["audit", "list"] + arguments).records
        }

        /// A person's `capctl`, after joining.
        private func person(_ name: String, _ role: String, _ rig: TestRig, _ home: TemporaryFolder) async throws
            -> Capctl
        {
            let code = try await rig.capctl.ask(Invitation.self, "keys", "invite", name, "--role", role).code
            let person = Capctl(folder: home.path, environment: ["XDG_CONFIG_HOME": home.path])
            let joined = try await person.run("join", code)
            #expect(joined.status == 0, "\(joined.errors)")
            return person
        }

        @Test("Says who triggered, changed, deleted and was refused, and verifies")
        func deeds() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let homes = [try TemporaryFolder(), try TemporaryFolder()]
            let anna = try await person("anna", "operator", rig, homes[0])
            let wall = try await person("wall", "viewer", rig, homes[1])
            let shot = try await anna.ask(ShotAnswer.self, "trigger", "--all", "--no-live").shot.id
            #expect(try await anna.run("shots", "edit", shot.description, "--title", "the roof").status == 0)
            for _ in 1...3 { #expect(try await wall.run("trigger", "--all").status == 4) }
            try await rig.kill("node2")
            try await within(.seconds(20), "the node to be away, so that its device can be forgotten") {
                while try await rig.capctl.run("devices", "forget", "node2/cam1").status != 0 {
                    try await TestRig.pause()
                }
            }
            _ = try await rig.capctl.run("keys", "revoke", "wall")

            let all = try await records(rig, "--limit", "200")
            let trigger = try #require(all.first { $0.kind == "trigger" })
            #expect(trigger.principal == "anna" && !trigger.fingerprint.isEmpty && trigger.subject == "\(shot)")
            #expect(trigger.details["selection"] == "all")
            #expect(all.contains { $0.details["title"] == "the roof" && $0.principal == "anna" && $0.kind == "change" })
            let refusals = all.filter { $0.kind == "refusal" && $0.principal == "wall" }
            #expect(refusals.count == 1, "further ones are counted")
            let deletion = try #require(all.first { $0.kind == "deletion" })
            #expect(deletion.subject == "node2/cam1" && deletion.principal == "admin")
            #expect(all.contains { $0.kind == "revocation" && $0.subject == "wall" })
            #expect(
                all.contains { $0.kind == "start" } && all.map(\.sequence.value) == all.map(\.sequence.value).sorted())
            #expect(try await records(rig, "--kind", "trigger", "--principal", "anna").count == 1)
            #expect(try await anna.run("audit", "list").status == 4)

            let verified = try await rig.capctl.ask(VerificationAnswer.self, "audit", "verify")
            #expect(verified.isIntact && verified.head != nil && verified.comparison == nil)
            let head = try #require(verified.head)
            let again = try await rig.capctl.run("audit", "verify", "--head", head)
            #expect(again.status == 0 && again.output.contains("matches"), "\(again.output)")
            try await rig.end()
        }

        @Test("Finds a changed byte with file and line, and newest records that were removed by an exported head")
        func tampering() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            _ = try await rig.trigger("--all", "--no-live", expecting: 0)
            let head = try #require(try await rig.capctl.ask(VerificationAnswer.self, "audit", "verify").head)
            let path = folder(rig) + "/000000000001.audit"
            let whole = try Data(contentsOf: URL(filePath: path))

            var changed = whole
            let place = try #require(changed.range(of: Data("\"subject\":\"node1\"".utf8)))
            changed[place.lowerBound + 12] ^= 1
            try changed.write(to: URL(filePath: path))
            let line = whole[..<place.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
            let found = try await rig.capctl.run("audit", "verify", "--format", "json")
            let problems = try found.json(VerificationAnswer.self).problems
            #expect(found.status == 4 && problems.map(\.file) == ["000000000001.audit"] && problems[0].line == line)
            let copy = try await rig.capctl.run("audit", "verify", "--folder", folder(rig))
            #expect(copy.status == 4 && copy.output.contains("000000000001.audit:\(line): "), "\(copy.output)")

            try await rig.end()
            let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let cut = Data(lines.dropLast(3).joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")])
            try cut.write(to: URL(filePath: path))
            let back = try await rig.capctl.run("audit", "verify", "--folder", folder(rig), "--head", head)
            #expect(back.status == 4 && back.output.contains("cut back"), "\(back.output)\(back.errors)")
            let typo = try await rig.capctl.run("audit", "verify", "--head", head + "0")
            #expect(typo.status == 64 && typo.errors.contains("typing error"), "\(typo.errors)")
        }

        @Test("A shot is taken while the disk of the audit log hangs")
        func hangingDisk() async throws {
            // The rig's start writes four times: the admin key, the start, an invitation, an admission.
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 1), faults: ["audit.file.write=hang,hit=6"])
            for _ in 1...3 {
                try await rig.expectSound(try await rig.trigger("--all", "--no-live", expecting: 0))
            }
            #expect(try await records(rig, "--kind", "trigger").count < 3, "the disk hangs")
            try await rig.kill("coordinator")
            try await rig.end()
        }
    }
}
