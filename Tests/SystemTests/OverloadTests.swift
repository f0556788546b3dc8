import CaptureModel
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(3))) struct OverloadTests {
        /// A camera of quarters of a megabyte, whose pictures are collected at a fifth of the rate they are taken at.
        private func rig() async throws -> TestRig {
            var plans = NodePlan.nodes(1, cameras: 1) { ($0.width, $0.height) = (1920, 1080) }
            plans[0].spoolLimit = "3 MiB"
            return try await TestRig.started(plans, rate: "200 kB/s")
        }

        @Test("cameras that are faster than the network fill memory, stop, or lose pictures in silence")
        func slowNetwork() async throws {
            let rig = try await rig()
            let programs = [try rig.agent("node1"), try rig.coordinator]
            // What a first shot takes for good is not what overload takes.
            try await rig.expectSound(try await rig.trigger("--all", "--timeout", "20s", expecting: 0))
            try await rig.awaitEmptySpool("node1")
            let before = try programs.map { try ProcessFigures(of: $0.processIdentifier) }

            let events = try EventTail(of: rig)
            let triggers = try (0..<24).map { index in
                try rig.startTrigger(["--all", "--at", "+\(2000 + index * 200)ms", "--timeout", "60s"])
            }
            try await events.wait(for: "shot.settled")
            var answers: [ShotAnswer] = []
            for trigger in triggers {
                answers.append(try await Capctl.outcome(of: trigger, within: .seconds(90)).json(ShotAnswer.self))
            }
            let files = answers.flatMap(\.files)
            let refused = files.filter { $0.outcome == .missed && $0.problem?.code == .noSpace }
            #expect(files.count { $0.outcome == .done } + refused.count == 24, "\(files.map(\.problem))")
            #expect(!refused.isEmpty && refused.count < 20, "\(refused.count) were refused")
            for answer in answers { try await rig.expectSound(answer) }
            try await rig.awaitEmptySpool("node1")

            let devices = try await rig.capctl.ask(DevicesAnswer.self, "devices")
            #expect(try devices.condition("node1/cam1").state == "running")
            for (program, figures) in zip(programs, before) {
                let after = try ProcessFigures(of: program.processIdentifier)
                #expect(after.mebibytes < figures.mebibytes + 48, "\(program.name): \(figures), then \(after)")
                #expect(after.descriptors < figures.descriptors + 16, "\(program.name): \(figures), then \(after)")
            }
            // There is room again, and it is used.
            try await rig.expectSound(try await rig.trigger("--all", "--timeout", "20s", expecting: 0))
            try await rig.end()
        }
    }
}
