import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    /// `capctl shots delete --format json`.
    private struct DeletionAnswer: Decodable {
        var deleted: [Item]
        var kept: [Kept]

        struct Item: Decodable {
            var shot: ShotID
            var reason: String
            var onlyCopy: Bool
            var files: Int
        }

        struct Kept: Decodable {
            var shot: ShotID
            var wouldDelete: [File]?

            struct File: Decodable {
                var file: String
            }
        }
    }

    private struct StatusAnswer: Decodable {
        var retention: Retention?

        struct Retention: Decodable {
            var heldBack: [String: String]
            var checkedAt: String?
        }
    }

    @Suite(.timeLimit(.minutes(4))) struct DeletionTests {
        private func delete(_ rig: TestRig, _ arguments: String...) async throws -> Capctl.Outcome {
            try await rig.capctl.run(["shots", "delete", "--format", "json"] + arguments)
        }

        /// A rig whose coordinator has these lines in the section `library` of its configuration.
        private func configured(_ lines: String) throws -> TestRig {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 2))
            let yaml = "library:\n  folder: \(rig.library)\n\(lines)"
            try Data(yaml.utf8).write(to: URL(filePath: rig.configuration))
            return rig
        }

        private func start(_ rig: TestRig) async throws {
            try await rig.startCoordinator()
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()
        }

        @Test("Deletes a shot only when it is told that it is the only copy, and knows it as deleted from then on")
        func onlyCopy() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let kept = try await rig.trigger("--all", expecting: 0).shot.id
            let shot = try await rig.trigger("--all", expecting: 0).shot.id
            let unasked = try await delete(rig, "\(shot)")
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
            let refused = try await delete(rig, "\(shot)", "--yes")
            #expect(refused.status == 4 && refused.errors.contains("--only-copy"), "\(refused)")
            let lost = try refused.json(DeletionAnswer.self).kept.first?.wouldDelete?.map(\.file)
            #expect(lost == ["node1.cam1/photo.jpg", "node1.cam2/photo.jpg"], "\(refused)")
            #expect(refused.errors.hasSuffix("\n  node1.cam1/photo.jpg\n  node1.cam2/photo.jpg\n"), "\(refused)")
            let part = try await delete(rig, String("\(shot)".suffix(6)), "--yes", "--only-copy")
            #expect(part.status == 64, "a part of an id is enough to delete: \(part)")
            let deleted = try await delete(rig, "\(shot)", "--yes", "--only-copy")
            let item = try #require(try deleted.json(DeletionAnswer.self).deleted.first)
            #expect(deleted.status == 0 && item.shot == shot && item.onlyCopy && item.files == 2, "\(deleted)")
            for _ in 0..<2 {
                let shown = try await rig.capctl.run("shots", "show", "\(shot)")
                #expect(shown.status == 4 && shown.errors.contains("was deleted"), "\(shown)")
                let repeated = try await rig.capctl.run("trigger", "--all", "--id", "\(shot)")
                #expect(repeated.status == 4 && repeated.errors.contains("was deleted"), "\(repeated)")
                let offline = try await rig.capctl.run("shots", "show", "\(shot)", "--library", rig.library)
                #expect(offline.status == 4 && offline.errors.contains("was deleted"), "\(offline)")
                let listed = try await rig.capctl.run("shots", "list", "-o", "name")
                #expect(listed.output == "\(kept)\n", "\(listed)")
                try await rig.kill("coordinator")
                try await rig.startCoordinator()
            }
            let verified = try await rig.capctl.run("shots", "verify", "--all", within: .seconds(120))
            #expect(verified.status == 0, "\(verified)")
            try await rig.end()
        }

        @Test(
            "A coordinator that is killed while it deletes finishes at its next start",
            arguments: [
                "library.deletion.recorded", "library.deletion.moved", "library.deletion.emptied",
                "library.deletion.filed",
            ])
        func killed(point: String) async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1), faults: ["\(point)=crash"])
            try await start(rig)
            let shot = try await rig.trigger("--all", expecting: 0).shot.id
            // The answer is lost with the coordinator; the client repeats the request.
            let deletion = try rig.capctl.start(["shots", "delete", "\(shot)", "--yes", "--only-copy"])
            _ = try await rig.coordinator.exitStatus(within: TestRig.patience)
            try await rig.startCoordinator(isFaulty: false)
            _ = try await Capctl.outcome(of: deletion)
            let shown = try await rig.capctl.repeating("shots", "show", "\(shot)")
            #expect(shown.status == 4 && shown.errors.contains("was deleted"), "\(shown)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: rig.library + "/.deleting").isEmpty)
            try await rig.end()
        }

        @Test("Retention keeps what has no other copy, and deletes it once it has one")
        func retention() async throws {
            let archive = try TemporaryFolder()
            let rig = try configured("  copy: \(archive.path)\n  keep: { free: 1000 TiB }\n")
            try await start(rig)
            let shot = try await rig.trigger("--all", expecting: 0).shot.id
            // A pass begins with the coordinator.
            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            var held = try await rig.capctl.ask(StatusAnswer.self, "status").retention
            while held?.checkedAt == nil {
                try await TestRig.pause()
                held = try await rig.capctl.ask(StatusAnswer.self, "status").retention
            }
            #expect(held?.heldBack == ["onlyCopy": "1"])
            let shown = try await rig.capctl.run("status")
            #expect(shown.output.contains("has no copy of it"), "\(shown)")
            try await rig.kill("coordinator")
            #expect(try ExternalTool.run("cp", "-r", rig.library + "/.", archive.path).status == 0)
            try await rig.startCoordinator()
            let events = try EventTail(of: rig)
            let told = try await events.next(within: TestRig.patience) { $0.name == "shot.deleted" }
            #expect(told.details["by"] == "coordinator" && told.details["reason"] == "space")
            #expect(told.details["onlyCopy"] == "false")
            let gone = try await rig.capctl.run("shots", "show", "\(shot)")
            #expect(gone.status == 4 && gone.errors.contains("library.keep.free"), "\(gone)")
            try await rig.end()
        }
    }
}
