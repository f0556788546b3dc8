import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// `capctl shots list --format json`.
    private struct ListAnswer: Decodable {
        var shots: [Item]

        struct Item: Decodable {
            var id: ShotID
            var title: String
        }
    }

    @Suite(.timeLimit(.minutes(1))) struct LibrarySearchTests {
        @Test(
            "a crashed coordinator costs the index a shot or a title, or the coordinator and the folder answer differently"
        )
        func search() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let first = try await rig.trigger("--all", expecting: 0).shot.id
            let second = try await rig.trigger("--node", "node2", expecting: 0).shot.id
            let edit = try await rig.capctl.run("shots", "edit", first.description, "--title", "Nordwand")
            #expect(edit.status == 0, "\(edit.errors)")
            for _ in 0..<2 {
                try await expect([second, first], rig, "--device", "node2/*")
                try await expect([first], rig, "--device", "node1/cam1")
                try await expect([first], rig, "--title", "NORD")
                try await expect([], rig, "--outcome", "missed")
                try await rig.kill("coordinator")
                try await rig.startCoordinator()
            }
            try await rig.end()
            try await expectInFolder([first], rig, "--title", "NORD")
            let index = try ExternalTool.run(
                "sqlite3", "-readonly", rig.library + "/.index/index.sqlite",
                "SELECT count(*), group_concat(title, '') FROM entry")
            #expect(index.output == "2|Nordwand\n")
        }

        /// Asks the coordinator, and reads the folder beside it.
        private func expect(_ ids: [ShotID], _ rig: TestRig, _ query: String...) async throws {
            let outcome = try await rig.capctl.run(["shots", "list", "--format", "json"] + query)
            #expect(try outcome.json(ListAnswer.self).shots.map(\.id) == ids, "\(query)")
            try await expectInFolder(ids, rig, query)
        }

        private func expectInFolder(_ ids: [ShotID], _ rig: TestRig, _ query: String...) async throws {
            try await expectInFolder(ids, rig, query)
        }

        private func expectInFolder(_ ids: [ShotID], _ rig: TestRig, _ query: [String]) async throws {
            let list = ["shots", "list", "--format", "json", "--library", rig.library]
            let outcome = try await rig.capctl.run(list + query)
            #expect(try outcome.json(ListAnswer.self).shots.map(\.id) == ids, "\(query) in the folder")
        }
    }
}
