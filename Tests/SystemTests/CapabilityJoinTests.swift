import CaptureModel
import CaptureTestSupport
import Testing

extension System.CapabilityTests {
    /// A machine that becomes part of a rig.
    @Suite struct JoinTests {
        private struct Invitation: Decodable {
            var code: String
        }

        @Test("A node takes part once it has joined by a code, and not before, and nobody joins by the code again")
        func node() async throws {
            let rig = try TestRig(System.CapabilityTests.nodes(2))
            try await rig.startCoordinator()
            let early = try rig.startAgentAlone("node1")
            #expect(try await early.exitStatus(within: TestRig.patience) != 0)
            #expect(early.log.contains("capagentd join CODE"), "\(early.log)")

            let code = try await rig.capctl.repeating("node", "invite", "node1", "--format", "json")
                .json(Invitation.self).code
            let cut = try await rig.join("node1", with: String(code.dropLast(5)))
            #expect(cut.status == 64 && cut.log.contains("cut off"), "\(cut.log)")
            var joined = try await rig.join("node1", with: code)
            if joined.status == Capctl.noCoordinator { joined = try await rig.join("node1", with: code) }
            #expect(joined.status == 0, "\(joined.log)")
            let other = try rig.startJoin("node1", [code, "--spool", rig.folder.path + "/other"])
            #expect(try await other.exitStatus(within: TestRig.patience) == 4, "\(other.log)")
            #expect(other.log.contains("was used"), "\(other.log)")

            try await rig.startAgent("node1")
            try await rig.awaitReadiness(["node1"])
            let answer = try await rig.completeShot("--all")
            #expect(answer.files.map(\.device.description) == ["node1/cam1"])
            try await rig.end()
        }
    }
}
