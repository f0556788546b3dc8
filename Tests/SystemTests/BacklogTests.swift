import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(4)), .needsRoot) struct BacklogTests {
        /// As many captures as no hello lists and no socket's queue holds.
        private static let count = 3000
        private static let strangers = 40

        private let disk: SmallDisk

        init() throws {
            // In memory, since the time of a real disk is not what is tested.
            disk = try SmallDisk(kilobytes: 256 * 1024)
        }

        @Test("Collects the backlog of a node that was away for days, takes new shots, and reports unknown captures")
        func awayForDays() async throws {
            let archive = try await Archive(in: disk.path, shots: Self.count, strangers: Self.strangers)
            var plan = NodePlan.nodes(1, cameras: 1)
            plan[0].spool = archive.spool
            let rig = try TestRig(plan, library: archive.library, rate: "400 kB/s")
            try await rig.startCoordinator()
            let events = try EventTail(of: rig)
            let incoming = try FolderWatch(rig.library + "/.incoming")
            try await rig.startAgent("node1")
            try await rig.awaitReadiness()

            try await incoming.wait(for: .went, within: .seconds(30))
            let answer = try await rig.trigger("--all", "--timeout", "20s", expecting: 0)
            #expect(answer.files.allSatisfy { $0.outcome == .done })
            #expect(try archive.waiting() > Self.strangers, "the backlog was over before the shot")

            let told = try await events.next(within: .seconds(120)) { $0.name == "spool.orphaned" }
            #expect(told.details == ["node": "node1", "captures": "\(Self.strangers)"])
            try await archive.awaitDelivery(within: .seconds(120))
            let verified = try await rig.capctl.run("shots", "verify", "--all", within: .seconds(120))
            #expect(verified.status == 0, "\(verified.output.prefix(2000))\(verified.errors)")
            #expect(try await archive.complete() == Self.count)
            for program in [try rig.agent("node1"), try rig.coordinator] {
                let figures = try ProcessFigures(of: program.processIdentifier)
                #expect(figures.peakMebibytes < 256, "\(program.name): \(figures)")
                #expect(figures.descriptors < 200, "\(program.name): \(figures)")
            }
            try await expectStrangers(rig, archive)
            try await rig.end()
        }

        /// What no shot expects is listed with its state, and goes when it is discarded and only then.
        private func expectStrangers(_ rig: TestRig, _ archive: Archive) async throws {
            let listed = try await rig.capctl.ask(SpoolAnswer.self, "spool", "list")
            #expect(listed.captures.map(\.state) == Array(repeating: "orphan", count: Self.strangers))
            let first = try #require(listed.captures.first)
            let one = try await rig.capctl.run("spool", "discard", "--shot", first.shot, "--yes")
            #expect(one.status == 0 && one.output == "node1/cam1 \(first.shot)\n", "\(one.output)\(one.errors)")
            let unasked = try await rig.capctl.run("spool", "discard", "--orphans")
            #expect(unasked.status == 64, "\(unasked.output)\(unasked.errors)")
            #expect(try archive.waiting() == Self.strangers - 1)
            let rest = try await rig.capctl.run("spool", "discard", "--orphans", "--yes")
            #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
            #expect(try archive.waiting() == 0)
        }
    }
}

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

        @Test("Prints with `capctl watch SHOT` exactly that shot's steps, and ends with it")
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
