import CaptureModel
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct MovedLibraryTests {
        private func rename(_ old: String, to new: String) throws {
            try FileManager.default.moveItem(atPath: old, toPath: new)
        }

        @Test func `a trigger does not end well with paths that are not there`() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let before = try await rig.trigger("--all", expecting: 0)
            try rename(rig.library, to: rig.library + ".moved")
            for arguments in [["--all"], ["--all", "--id", "\(before.shot.id)"]] {
                let refused = try await rig.capctl.run(["trigger"] + arguments)
                #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
                #expect(refused.errors.contains(rig.library), "\(refused.errors)")
            }
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").libraryProblem == nil {}
            }
            try rename(rig.library + ".moved", to: rig.library)
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").libraryProblem != nil {}
            }
            try await rig.end()
        }
    }
}
