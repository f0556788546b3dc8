import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2)), .needsRoot) struct FullDiskTests {
        private let disk: SmallDisk

        init() throws {
            disk = try SmallDisk(kilobytes: 4096)
        }

        /// Frames of a quarter of a megabyte.
        private func plans() -> [NodePlan] {
            NodePlan.nodes(2, cameras: 1) { ($0.width, $0.height) = (1920, 1080) }
        }

        @Test("pictures are lost, or pass for stored, where the library's disk is full")
        func fullLibrary() async throws {
            let rig = try await TestRig.started(plans(), library: disk.path + "/library")
            try disk.fill(leaving: 64 << 10)
            let answer = try await rig.trigger("--all", expecting: 4)
            #expect(answer.shot.status == .failed)
            for file in answer.files { #expect(file.outcome == .failed && file.problem?.code == .noSpace) }
            #expect(StillCheck.stills(in: rig.library).isEmpty)

            try disk.free()
            let events = try EventTail(of: rig)
            for node in ["node1", "node2"] {
                try await rig.kill(node)
                try await rig.startAgent(node)
            }
            try await events.next { $0.name == "shot.settled" && $0.details["status"] == "complete" }
            let later = try await rig.shot(answer.shot.id)
            #expect(later.files.allSatisfy { $0.outcome == .late })
            #expect(later.shot.revision > answer.shot.revision)
            try await rig.expectSound(later)
            for node in ["node1", "node2"] { try await rig.awaitEmptySpool(node) }
            try await rig.end()
        }

        @Test("a shot is said to be taken although nothing of it can be written down")
        func libraryWithoutRoomForAManifest() async throws {
            let rig = try await TestRig.started(plans(), library: disk.path + "/library")
            try disk.fill(leaving: 0)
            let refused = try await rig.capctl.run("trigger", "--all", "--timeout", "2s")
            #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
            #expect((refused.output + refused.errors).contains("space"), "\(refused.output)\(refused.errors)")
            try disk.free()
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.end()
        }

        @Test("a node whose disk is full spoils the shot for the others, or does not say why, or stays broken")
        func fullSpool() async throws {
            var plans = plans()
            plans[0].spool = disk.path + "/spool"
            let rig = try await TestRig.started(plans)
            let events = try EventTail(of: rig)
            try disk.fill(leaving: 96 << 10)
            let told = try await events.next { $0.name == "spool.nearlyFull" && $0.node == "node1" }
            #expect(told.details["reason"]?.contains("spool.reserve") == true)
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").nodes.allSatisfy({ $0.spoolShortage == nil }) {}
            }
            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            #expect(try devices.condition("node1/cam1").state == "running")
            let answer = try await rig.trigger("--all", expecting: 3)
            #expect(try answer.file("node2/cam1").outcome == .done)
            let file = try answer.file("node1/cam1")
            #expect(file.outcome == .missed && file.problem?.code == .noSpace)
            try await rig.expectSound(answer)

            try disk.free()
            try await events.next { $0.name == "spool.hasRoom" && $0.node == "node1" }
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await rig.awaitEmptySpool("node1")
            try await rig.end()
        }
    }
}
