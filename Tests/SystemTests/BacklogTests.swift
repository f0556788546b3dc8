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

        @Test("a node that was away for days loses pictures, holds up new shots, or keeps strange ones in silence")
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
