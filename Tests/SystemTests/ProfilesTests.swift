import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// `capctl settings set`, `apply`, `load` and `undo` with `--format json`, as far as these tests read it.
    private struct Answer: Decodable {
        var cameras: [Camera]
        var profile: String?
        var settingsId: String
        var undoes: String?

        struct Camera: Decodable {
            var device: String
            var outcome: String
            var effect: Effect?
            var problem: RigProblem?
        }

        struct Effect: Decodable {
            var controls: [String: String]
        }
    }

    private struct Saved: Decodable {
        var isNew: Bool
        var profile: Profile

        struct Profile: Decodable {
            var cameras: [Camera]
            var name: String
            var version: Int
        }

        struct Camera: Decodable {
            var device: String
            var settings: String
        }
    }

    private struct Diff: Decodable {
        var differences: [Difference]

        struct Difference: Decodable, Equatable {
            var device: String
            var first: String?
            var name: String?
            var second: String?
        }
    }

    private struct Details: Decodable {
        var capabilities: Capabilities

        struct Capabilities: Decodable {
            var controls: [Control]
        }

        struct Control: Decodable {
            var name: String
            var value: String?
        }
    }

    /// Profiles and undo by the real programs: what is loaded or undone is read back from the cameras.
    @Suite(.timeLimit(.minutes(1))) struct ProfilesTests {
        private func run<Value: Decodable>(
            _ rig: TestRig, _ arguments: String..., as type: Value.Type = Answer.self, expecting status: Int32 = 0
        ) async throws -> Value {
            let outcome = try await rig.capctl.run(["settings"] + arguments + ["--format", "json"])
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)\n\(outcome.output)")
            return try outcome.json(type)
        }

        /// What both cameras have, read from the devices.
        private func values(_ rig: TestRig, _ control: String) async throws -> [String?] {
            var values: [String?] = []
            for node in ["node1", "node2"] {
                let outcome = try await rig.capctl.run(["devices", "show", "\(node)/cam1", "--format", "json"])
                values.append(try outcome.json(Details.self).capabilities.controls.first { $0.name == control }?.value)
            }
            return values
        }

        @Test func `A profile that was saved is loaded after both daemons were killed, with the exact values`()
            async throws
        {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            try rig.folder.write("cameras: { node1/cam1: gain=raw:3, node2/cam1: { gain: raw:5 } }\n", to: "two.yaml")
            let applied = try await run(rig, "apply", "\(rig.folder.path)/two.yaml")
            #expect(applied.cameras.map(\.outcome) == ["set", "set"])
            #expect(try await values(rig, "gain") == ["3", "5"])
            let saved = try await run(rig, "save", "night", as: Saved.self)
            #expect(saved.isNew && saved.profile.version == 1)
            #expect(saved.profile.cameras.map(\.device) == ["node1/cam1", "node2/cam1"])
            #expect(saved.profile.cameras.map { $0.settings.contains("driver.gain=") } == [true, true])
            #expect(try await !run(rig, "save", "night", as: Saved.self).isNew, "nothing has changed")
            _ = try await rig.capctl.run(["settings", "set", "gain=raw:9", "--all"])
            #expect(try await values(rig, "gain") == ["9", "9"])
            let differences = try await run(rig, "diff", "night", as: Diff.self).differences
            #expect(
                differences == [
                    Diff.Difference(device: "node1/cam1", first: "3", name: "driver.gain", second: "9"),
                    Diff.Difference(device: "node2/cam1", first: "5", name: "driver.gain", second: "9"),
                ])
            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            try await rig.awaitReadiness()
            let loaded = try await run(rig, "load", "night")
            #expect(loaded.profile == "night@1" && loaded.cameras.map(\.outcome) == ["set", "set"])
            #expect(try await values(rig, "gain") == ["3", "5"])
            #expect(try await run(rig, "diff", "night", as: Diff.self).differences.isEmpty)
            try await rig.end()
        }

        @Test func `Undo returns the exact values before, one transaction after the other, also after a restart`()
            async throws
        {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let (gain, mode) = (try await values(rig, "gain"), try await values(rig, "auto_exposure"))
            let first = try await run(rig, "set", "gain=raw:9", "exposure=4ms", "--all")
            let second = try await run(rig, "set", "gain=raw:2", "--device", "node2/cam1")
            #expect(try await values(rig, "gain") == ["9", "2"])
            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            try await rig.awaitReadiness()
            let undo = try await run(rig, "undo")
            #expect(undo.undoes == second.settingsId && undo.cameras.map(\.device) == ["node2/cam1"])
            #expect(try await values(rig, "gain") == ["9", "9"])
            #expect(try await run(rig, "undo").undoes == first.settingsId)
            #expect(try await values(rig, "gain") == gain)
            #expect(try await values(rig, "auto_exposure") == mode)
            let nothing = try await rig.capctl.run(["settings", "undo"])
            #expect(
                nothing.status == 4 && nothing.errors.contains("no settings transaction to undo"), "\(nothing.errors)")
            let history = try await rig.capctl.run(["settings", "history"])
            #expect(history.output.contains("undoes \(first.settingsId)"))
            // What the driver's controls were before reads as settings, and exactly where everything is shown.
            #expect(
                history.output.contains("exposure 4 ms") && !history.output.contains("driver."), "\(history.output)")
            let exact = try await rig.capctl.run(["settings", "history", "-o", "wide"])
            #expect(exact.output.contains("driver.gain=") && exact.output.contains("exposureDuration=4ms"))
            try await rig.end()
        }

        @Test func `Undo has a camera that was stopped forget what waits for its start`() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let gain = try await values(rig, "gain")
            #expect(try await rig.capctl.run(["session", "stop", "node2/cam1"]).status == 0)
            let answer = try await run(rig, "set", "gain=raw:9", "--all", expecting: 3)
            #expect(answer.cameras.map(\.outcome) == ["set", "deferred"])
            let undo = try await run(rig, "undo")
            #expect(undo.cameras.map(\.outcome) == ["set", "undone"])
            #expect(try await rig.capctl.run(["session", "start", "node2/cam1"]).status == 0)
            try await rig.awaitReadiness()
            #expect(try await values(rig, "gain") == gain)
            try await rig.end()
        }

        @Test func `What the rig does not know is refused in a sentence that names it`() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            try rig.folder.write("all: gain=raw:1\ncameras: { node1/cam9: gain=raw:3 }\n", to: "unknown.yaml")
            try rig.folder.write("all:\n  gain: raw:1\n  speed: 3\n", to: "wrong.yaml")
            let unset = try await values(rig, "gain")
            for (arguments, status, words) in [
                (["load", "nothing"], 4, "no profile 'nothing'"), (["diff", "nothing"], 4, "no profile 'nothing'"),
                (["history", "nothing"], 4, "no profile 'nothing'"),
                (["remove", "nothing"], 4, "no profile 'nothing'"),
                (["save", "night"], 5, "no transaction has set it"), (["undo"], 4, "no settings transaction to undo"),
                (["apply", "\(rig.folder.path)/unknown.yaml"], 5, "node1/cam9"),
                (
                    ["apply", "\(rig.folder.path)/wrong.yaml"], 1,
                    "wrong.yaml:3:10: all.speed: 'speed' is not a setting"
                ),
                (["apply", "\(rig.folder.path)/none.yaml"], 1, "none.yaml cannot be read"),
                (["load", "a/b"], 64, "'a/b' is not"),
            ] as [([String], Int32, String)] {
                let outcome = try await rig.capctl.run(["settings"] + arguments)
                #expect(
                    outcome.status == status && outcome.errors.contains(words),
                    "\(arguments): \(outcome.status) \(outcome.errors)")
            }
            #expect(try await values(rig, "gain") == unset)
            try await rig.end()
        }
    }
}
