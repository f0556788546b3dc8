import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Nodes that were silent while a transaction ended. The test plays them.
@Suite(.timeLimit(.minutes(10))) struct UntoldStepsTests {
    private let anna: Principal
    private let (north, south): (NodeName, NodeName)
    private let request: SettingsRequest

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        (north, south) = (try NodeName("north"), try NodeName("south"))
        request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            requireAll: true)
    }

    /// A rig whose nodes are silent after 2 s.
    private func bench(_ clock: ManualTimeSource) async throws -> RigBench {
        let bench = try await RigBench(folder: try TemporaryFolder(), clock: clock) {
            $0.heartbeatTimeout = .seconds(2)
        }
        for node in ["north", "south"] { try await bench.hello(node) }
        return bench
    }

    @Test(arguments: [true, false])
    func `A node whose answers were lost is told at once when it is back that the transaction has ended`(
        hasRestarted: Bool
    ) async throws {
        let clock = ManualTimeSource()
        let bench = try await bench(clock)
        let applying = Task { try await bench.rig.apply(request, by: anna) }
        try await bench.answerSettings(of: north, after: 0, .success(.preparedGain()))
        await bench.links.asked.wait { $0.settingsSteps(of: south).count == 1 }
        // Only `north` is heard of until `south` is taken to be gone.
        while bench.links.asked.value.settingsSteps(of: north).count == 1 {
            _ = await bench.rig.heard(from: north, epoch: Samples.epoch(1))
            clock.advance(by: .milliseconds(250))
            // The watch of nodes, which looks eight times within their timeout, has seen this instant.
            await clock.sleeper(until: clock.now() + .milliseconds(250))
        }
        #expect(await bench.answerSettings(of: north, after: 1, .success(.undone)) == .giveUp)
        #expect(try await applying.value.cameras.map(\.outcome.word) == [.undone, .refused])
        #expect(bench.links.asked.value.settingsSteps(of: south).count == 1)

        try await bench.hello("south", epoch: hasRestarted ? 2 : 1, isNew: hasRestarted)
        #expect(await bench.answerSettings(of: south, after: 1, .success(.undone)) == .giveUp)
        // The next settings come after that.
        var next = request
        next.id = Samples.settings(2)
        let later = Task { [next] in try await bench.rig.apply(next, by: anna) }
        let step = try await bench.answerSettings(of: south, after: 2, .success(.preparedGain()))
        #expect(step == .prepare(request.settings))
        try await bench.answerSettings(of: north, after: 2, .success(.preparedGain()))
        for (node, done) in [(north, 3), (south, 3)] {
            await bench.answerSettings(of: node, after: done, .success(.applied(Samples.settingsEffect)))
        }
        #expect(try await later.value.cameras.map(\.outcome.word) == [.set, .set])
        await bench.end()
    }

    @Test func `The newest steps are kept, and those of forgotten cameras are not`() throws {
        var steps = UntoldSteps()
        for number in 0...1024 { steps.add(.undo, of: Samples.settings(Int64(number)), to: try DeviceID("south/cam")) }
        #expect(steps.next(of: south)?.id == Samples.settings(1))
        #expect(steps.next(of: north) == nil)
        if let first = steps.next(of: south) { steps.told(first) }
        #expect(steps.next(of: south)?.id == Samples.settings(2))
        steps.forget([try DeviceID("south/cam")])
        #expect(steps.next(of: south) == nil)
    }
}
