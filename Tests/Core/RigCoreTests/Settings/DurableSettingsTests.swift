import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Settings whose coordinator's state is on a disk that is full, fails or does not answer. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct DurableSettingsTests {
    private let anna: Principal
    private let request: SettingsRequest
    private let clock = ManualTimeSource()
    private let ledger = FailingLedger()

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            requireAll: true)
    }

    /// A run of the coordinator with two nodes.
    private func run(_ stored: [CommittedSettings] = []) async throws -> RigBench {
        let bench = try await RigBench(
            folder: try TemporaryFolder(), clock: clock, committedSettings: stored, settingsLedger: ledger)
        for node in ["north", "south"] { try await bench.hello(node) }
        return bench
    }

    /// Has both nodes prepare, and what follows happen before they are told to set.
    private func begin(_ bench: RigBench) async throws -> Task<SettingsReport, any Error> {
        let report = Task { try await bench.rig.apply(request, by: anna) }
        for node in ["north", "south"] {
            try await bench.answerSettings(of: NodeName(node), after: 0, .success(.preparedGain()))
        }
        return report
    }

    private func set(_ bench: RigBench) async throws {
        for node in ["north", "south"] {
            try await bench.answerSettings(of: NodeName(node), after: 1, .success(.applied(Samples.settingsEffect)))
        }
    }

    private func ends(_ bench: RigBench) -> [[String: String]] {
        bench.links.asked.value.events.map(\.source.event).filter { $0.name == .settingsApplied }.map(\.details)
    }

    @Test(arguments: FailingLedger.Trouble.allCases)
    func `Nothing is answered as set before its end is stored, and storing is tried until it succeeds`(
        trouble: FailingLedger.Trouble
    ) async throws {
        let bench = try await run()
        let applying = try await begin(bench)
        let south = try NodeName("south")
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 1 }
        await ledger.begin(trouble)
        try await set(bench)
        // The disk has refused, and is to be asked again.
        if trouble != .frozen { await clock.sleeper(until: clock.now() + .seconds(1)) }
        await clock.sleeper(until: clock.now() + .seconds(10))
        clock.advance(by: .seconds(10))
        let report = try await applying.value
        #expect(report.cameras.map(\.outcome.word) == [.failed, .failed])
        #expect(report.cameras[0].outcome.problem?.code == (trouble == .full ? .noSpace : .inputOutput))
        #expect(ends(bench).isEmpty, "it has no end yet")
        let undo = SettingsRequest(id: Samples.settings(2), origin: .undo(.newest))
        await #expect(throws: RigProblem.self) { try await bench.rig.apply(undo, by: anna) }

        if trouble != .frozen { await clock.sleeper(until: clock.now() + .seconds(1)) }
        await ledger.end()
        if trouble != .frozen { clock.advance(by: .seconds(1)) }
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .settingsApplied } }
        #expect(ends(bench).map { $0["set"] } == ["2"])
        #expect(try await bench.rig.apply(request, by: anna).cameras.map(\.outcome.word) == [.set, .set])
        #expect(await ledger.stored.map(\.state) == [.ended])
        await bench.end()
    }

    @Test func `A restart does not undo what was answered as set, though an agent was restarted with it`() async throws
    {
        var bench = try await run()
        let applying = try await begin(bench)
        let south = try NodeName("south")
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 1 }
        await ledger.begin(.failing)
        try await set(bench)
        await clock.sleeper(until: clock.now() + .seconds(1))
        await ledger.end()
        clock.advance(by: .seconds(1))
        #expect(try await applying.value.cameras.map(\.outcome.word) == [.set, .set])
        await bench.end()

        bench = try await run(await ledger.stored)
        await bench.rig.resumeOpenSettings()
        let repeating = Task { try await bench.rig.apply(request, by: anna) }
        for node in ["north", "south"] {
            try await bench.answerSettings(of: NodeName(node), after: 0, .success(.preparedGain()))
        }
        try await bench.answerSettings(of: NodeName("north"), after: 1, .success(.applied(Samples.settingsEffect)))
        try await bench.answerSettings(of: NodeName("south"), after: 1, .failure(RigProblem(.tooSoon, "T is past")))
        #expect(try await repeating.value.cameras.map(\.outcome.word) == [.set, .lost])
        for node in ["north", "south"] {
            #expect(!bench.links.asked.value.settingsSteps(of: try NodeName(node)).contains { $0.step == .undo })
        }
        await bench.end()
    }

    @Test(arguments: FailingLedger.Trouble.allCases)
    func `What cannot be stored before T sets nothing, and the refusal is stored when the disk is back`(
        trouble: FailingLedger.Trouble
    ) async throws {
        let bench = try await run()
        await ledger.begin(trouble)
        let applying = try await begin(bench)
        if trouble == .frozen {
            await clock.sleeper(until: clock.now() + .seconds(10))
            clock.advance(by: .seconds(10))
        }
        for node in ["north", "south"] {
            #expect(try await bench.answerSettings(of: NodeName(node), after: 1, .success(.undone)) == .giveUp)
        }
        if trouble == .frozen {
            await clock.sleeper(until: clock.now() + .seconds(10))
            clock.advance(by: .seconds(10))
        }
        let report = try await applying.value
        #expect(report.cameras.map(\.outcome.word) == [.refused, .refused] && report.time == nil)
        if trouble != .frozen { await clock.sleeper(until: clock.now() + .seconds(1)) }
        await ledger.end()
        if trouble != .frozen { clock.advance(by: .seconds(1)) }
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .settingsApplied } }
        #expect(await ledger.stored.map(\.state) == [.refused])
        await bench.end()
    }

    @Test func `A transaction that is cancelled while it is being stored sets nothing`() async throws {
        let bench = try await run()
        await ledger.begin(.frozen)
        let applying = try await begin(bench)
        // It waits for the disk.
        await clock.sleeper(until: clock.now() + .seconds(10))
        let cancelling = Task { try await bench.rig.cancelSettings(request.id, by: anna) }
        while await !bench.rig.areSettingsCancelled { await Task.yield() }
        await ledger.end()
        for node in ["north", "south"] {
            #expect(try await bench.answerSettings(of: NodeName(node), after: 1, .success(.undone)) == .giveUp)
        }
        #expect(try await cancelling.value.cameras.map(\.outcome.word) == [.refused, .refused])
        #expect(try await applying.value.time == nil)
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .settingsApplied } }
        #expect(await ledger.stored.map(\.state) == [.ended])
        await bench.end()
    }
}

/// A ledger in memory whose disk is in trouble for a while.
actor FailingLedger: DocumentStore {
    enum Trouble: CaseIterable {
        /// Nothing is stored.
        case full
        /// What is stored is the new content, and the disk does not say so.
        case failing
        /// The disk does not answer.
        case frozen
    }

    private(set) var stored: [CommittedSettings] = []
    private var trouble: Trouble?
    private var frozen: [CheckedContinuation<Void, Never>] = []

    func begin(_ trouble: Trouble) { self.trouble = trouble }

    func end() {
        trouble = nil
        for waiting in frozen { waiting.resume() }
        frozen = []
    }

    func read() -> [CommittedSettings]? { stored }

    func replace(with transactions: [CommittedSettings]) async throws(StorageError) {
        switch trouble {
        case nil: break
        case .full: throw StorageError(.noSpace, "write", "settings.json", "the disk is full")
        case .failing:
            stored = transactions
            throw StorageError(.inputOutput, "sync", "settings.json", "the disk fails")
        case .frozen: await withCheckedContinuation { frozen.append($0) }
        }
        stored = transactions
    }
}
