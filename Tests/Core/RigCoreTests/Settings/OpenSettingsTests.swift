import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Transactions that one run of the coordinator has committed and the next one ends. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct OpenSettingsTests {
    private let folder: TemporaryFolder
    private let anna: Principal
    private let request: SettingsRequest
    private let open: CommittedSettings
    private let preparation: SettingsPreparation

    init() throws {
        folder = try TemporaryFolder()
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"))
        open = CommittedSettings(
            id: request.id, rigClock: RigClockID(rawValue: "rig-1"),
            open: CommittedSettings.Open(
                request, by: anna, cameras: [try DeviceID("north/cam"), try DeviceID("south/cam")]))
        let entry = try CaptureSettings.Entry(parsing: "gain=raw:7")
        preparation = SettingsPreparation(outcomes: [SettingOutcome(entry: entry, result: .rounded(to: .raw(6)))])
    }

    @Test func `The request is stored before a camera is told to set, and not kept once it has its report`()
        async throws
    {
        let ledger = MemoryLedger()
        let bench = try await RigBench(folder: folder, settingsLedger: ledger)
        try await bench.hello("north")
        let report = Task { try await bench.rig.apply(request, by: anna) }
        try await bench.answerSettings(of: NodeName("north"), after: 0, .success(.prepared(preparation)))
        let north = try NodeName("north")
        await bench.links.asked.wait { $0.settingsSteps(of: north).count > 1 }
        let stored = try #require(await ledger.stored.first)
        #expect(stored.state == .committed)
        #expect(stored.open == CommittedSettings.Open(request, by: anna, cameras: [try DeviceID("north/cam")]))
        try await bench.answerSettings(of: NodeName("north"), after: 1, .success(.applied(Samples.settingsEffect)))
        _ = try await report.value
        #expect(await ledger.stored.map(\.state) == [.ended])
        #expect(await ledger.stored.map(\.open) == [nil])
        await bench.end()
    }

    @Test func `The next run asks when the nodes are there, without a repeat, and a repeat gets the report`()
        async throws
    {
        let ledger = MemoryLedger()
        let bench = try await RigBench(folder: folder, committedSettings: [open], settingsLedger: ledger)
        await bench.rig.resumeOpenSettings()
        try await bench.hello("north")
        #expect(bench.links.asked.value.settingsSteps(of: try NodeName("north")).isEmpty, "one node is away")
        try await bench.hello("south")
        for node in ["north", "south"] {
            let step = try await bench.answerSettings(of: NodeName(node), after: 0, .success(.prepared(preparation)))
            #expect(step == .prepare(request.settings))
        }
        try await bench.answerSettings(of: NodeName("north"), after: 1, .success(.applied(Samples.settingsEffect)))
        try await bench.answerSettings(of: NodeName("south"), after: 1, .failure(RigProblem(.tooSoon, "T is past")))
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .settingsApplied } }
        let report = try await bench.rig.apply(request, by: anna)
        #expect(report.cameras.map(\.outcome.word) == [.rounded, .lost], "its node has forgotten the second one")
        #expect(await ledger.stored.map(\.state) == [.ended])
        await bench.end()
    }

    @Test func `A camera whose node stays away for 30 s is lost`() async throws {
        let clock = ManualTimeSource()
        let bench = try await RigBench(folder: folder, clock: clock, committedSettings: [open])
        try await bench.hello("north")
        await bench.rig.resumeOpenSettings()
        let report = Task { try await bench.rig.apply(request, by: anna) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(31))
        try await bench.answerSettings(of: NodeName("north"), after: 0, .success(.prepared(preparation)))
        try await bench.answerSettings(of: NodeName("north"), after: 1, .success(.applied(Samples.settingsEffect)))
        #expect(try await report.value.cameras.map(\.outcome.word) == [.rounded, .lost])
        await bench.end()
    }
}

/// A ledger in memory.
actor MemoryLedger: DocumentStore {
    private(set) var stored: [CommittedSettings] = []

    func read() -> [CommittedSettings]? { stored }

    func replace(with transactions: [CommittedSettings]) { stored = transactions }
}
