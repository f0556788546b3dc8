import CaptureModel
import CaptureTestSupport
import RigTestSupport
import Testing

@testable import RigCore

/// Transactions that somebody cancels. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct CancelledSettingsTests {
    private let anna: Principal
    private let (north, south): (NodeName, NodeName)

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        (north, south) = (try NodeName("north"), try NodeName("south"))
    }

    private func request(requireAll: Bool = false) throws -> SettingsRequest {
        SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            time: .relative(nanoseconds: 8_000_000_000), requireAll: requireAll)
    }

    private func bench(_ clock: ManualTimeSource) async throws -> RigBench {
        let bench = try await RigBench(
            folder: try TemporaryFolder(), clock: clock, settingsLedger: MemoryLedger())
        for node in ["north", "south"] { try await bench.hello(node) }
        return bench
    }

    /// What a node says of a commit that it has dropped.
    private let dropped = RigProblem(.cancelled, "undone before T, so nothing was set")

    @Test(arguments: [false, true])
    func `Settings that wait for T are cancelled at every camera, also those that wait for its start`(
        isDeferred: Bool
    ) async throws {
        let bench = try await bench(ManualTimeSource())
        let applying = Task { try await bench.rig.apply(try request(), by: anna) }
        try await bench.answerSettings(of: north, after: 0, .success(.preparedGain()))
        let stopped = SettingsPreparation(outcomes: [], isDeferred: true)
        try await bench.answerSettings(
            of: south, after: 0, .success(isDeferred ? .prepared(stopped) : .preparedGain()))
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 1 }
        if isDeferred {
            await bench.answerSettings(of: south, after: 1, .success(.deferred(RigProblem(.notRunning, "stopped"))))
        }
        let cancelling = Task { try await bench.rig.cancelSettings(Samples.settings(), by: anna) }
        for node in [north, south] {
            #expect(await bench.answerSettings(of: node, after: 2, .success(.undone)) == .undo)
        }
        await bench.answerSettings(of: north, after: 1, .failure(dropped))
        if !isDeferred { await bench.answerSettings(of: south, after: 1, .failure(dropped)) }
        let report = try await cancelling.value
        #expect(report.cameras.map(\.outcome.word) == [.undone, .undone] && report.time == nil)
        #expect(report.cameras.allSatisfy { $0.outcome.problem?.message.contains("anna has cancelled") == true })
        #expect(try await applying.value == report, "whoever has asked for them gets the same report")
        await bench.end()
    }

    @Test func `Settings that are being prepared are cancelled before T is chosen`() async throws {
        let bench = try await bench(ManualTimeSource())
        let applying = Task { try await bench.rig.apply(try request(), by: anna) }
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 0 }
        let cancelling = Task { try await bench.rig.cancelSettings(Samples.settings(), by: anna) }
        while await !bench.rig.areSettingsCancelled { await Task.yield() }
        for node in [north, south] { try await bench.answerSettings(of: node, after: 0, .success(.preparedGain())) }
        for node in [north, south] {
            #expect(await bench.answerSettings(of: node, after: 1, .success(.undone)) == .giveUp)
        }
        #expect(try await cancelling.value.cameras.map(\.outcome.word) == [.refused, .refused])
        _ = try await applying.value
        #expect(await !bench.rig.areSettingsCancelled)
        await bench.end()
    }

    @Test func `After T nothing is cancelled, and what has ended or is not known is said to be so`() async throws {
        let clock = ManualTimeSource()
        let bench = try await bench(clock)
        await #expect(throws: RigProblem.self) {
            try await bench.rig.cancelSettings(Samples.settings(), by: anna)
        }
        let applying = Task { try await bench.rig.apply(try request(), by: anna) }
        for node in [north, south] { try await bench.answerSettings(of: node, after: 0, .success(.preparedGain())) }
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 1 }
        clock.advance(by: .seconds(9))
        let cancelling = Task { try await bench.rig.cancelSettings(Samples.settings(), by: anna) }
        for node in [north, south] {
            await bench.answerSettings(of: node, after: 1, .success(.applied(Samples.settingsEffect)))
        }
        #expect(try await cancelling.value.cameras.map(\.outcome.word) == [.set, .set])
        let report = try await applying.value
        #expect(try await bench.rig.cancelSettings(Samples.settings(), by: anna) == report)
        #expect(bench.links.asked.value.settingsSteps(of: north).count == 2, "no camera was told to undo")
        await bench.end()
    }
}
