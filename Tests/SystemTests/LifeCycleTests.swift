import CaptureModel
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct LifeCycleTests {
        private static let life = [
            "capture.willBeginCapture", "capture.willCapturePhoto", "capture.didCapturePhoto",
            "capture.didFinishProcessingPhoto", "capture.didFinishCapture",
        ]

        @Test(
            "Of sixteen overlapping shots of four cameras at four per second, a capture is told twice, in part, or not")
        func overlapping() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 2))
            let watch = try rig.capctl.start(
                ["watch", "--replay", "--count", "\(16 * 4 * Self.life.count)", "--format", "json"])
            let first = Date().addingTimeInterval(5.5)
            let triggers = try (0..<16).map { index in
                let instant = first.addingTimeInterval(Double(index) * 0.25)
                let text = instant.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
                return try rig.startTrigger(["--all", "--at", text + "Z", "--timeout", "30s"])
            }
            for trigger in triggers {
                let outcome = try await Capctl.outcome(of: trigger)
                #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
            }
            let told = try await Capctl.outcome(of: watch)
            #expect(told.status == 0)
            try expectOneLifeEach(told.output)
            try await rig.end()
        }

        private func expectOneLifeEach(_ output: String) throws {
            let events = try output.split(separator: "\n").map {
                try JSONDecoder().decode(EventLine.self, from: Data($0.utf8))
            }
            let lives = Dictionary(grouping: events) { "\($0.shot ?? "?") \($0.device ?? "?")" }
            #expect(lives.count == 64)
            for (capture, steps) in lives { #expect(steps.map(\.name) == Self.life, "\(capture)") }
            let firstEnd = try #require(events.firstIndex { $0.name == Self.life[4] })
            let underWay = Set(events[..<firstEnd].map { $0.shot ?? "?" })
            #expect(underWay.count > 8, "the shots did not overlap")
        }

        @Test("`capctl watch SHOT` shows another shot's steps, misses one, or goes on when the shot is over")
        func watchOneShot() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let id = ShotID.fresh().description
            _ = try await rig.trigger("--all", expecting: 0)
            _ = try await rig.trigger("--all", "--id", id, expecting: 0)
            let watch = try await rig.capctl.run("watch", id)
            #expect(watch.status == 0)
            let lines = watch.output.split(separator: "\n")
            #expect(lines.count == 2 * Self.life.count, "\(watch.output)")
            #expect(lines.allSatisfy { $0.contains("shot=\(id)") })
            for camera in ["node1/cam1", "node2/cam1"] {
                let steps = lines.filter { $0.contains(camera) }
                #expect(zip(steps, Self.life).allSatisfy { $0.contains($1) } && steps.count == Self.life.count)
            }
            try await rig.end()
        }
    }
}
