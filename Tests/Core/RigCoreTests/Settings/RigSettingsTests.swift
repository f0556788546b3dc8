import CaptureModel
import CaptureTestSupport
import RigTestSupport
import Testing

@testable import RigCore

/// Transactions of a rig whose nodes are played by the test.
@Suite(.timeLimit(.minutes(10))) struct RigSettingsTests {
    private let folder: TemporaryFolder
    private let anna: Principal
    private let ben: Principal

    init() throws {
        folder = try TemporaryFolder()
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        ben = try #require(Principal(recorded: "ben", isAuthenticated: true))
    }

    private func request(
        _ id: Int64 = 1, _ settings: String = "gain=raw:7", time: RequestedTime = .soon(lead: nil),
        requireAll: Bool = false
    ) throws -> SettingsRequest {
        SettingsRequest(
            id: Samples.settings(id), selection: Selection(), settings: try CaptureSettings(parsing: settings),
            time: time, requireAll: requireAll)
    }

    private func refusal(_ bench: RigBench, _ request: SettingsRequest, by principal: Principal? = nil) async
        -> RigProblem.Code?
    {
        do {
            _ = try await bench.rig.apply(request, by: principal ?? anna)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `Both nodes are told one T, after both have prepared, and the report has the outcome of each`()
        async throws
    {
        let bench = try await RigBench(folder: folder)
        for node in ["north", "south"] { try await bench.hello(node) }
        let report = Task { try await bench.rig.apply(try request(), by: anna) }
        let (north, south) = (
            try await bench.settingsStep(of: NodeName("north")), try await bench.settingsStep(of: NodeName("south"))
        )
        #expect(north.step == .prepare(try request().settings) && south.step == north.step)
        try await bench.answerSettings(north.number, .success(.preparedGain()), by: NodeName("north"))
        #expect(try bench.links.asked.value.settingsSteps(of: NodeName("north")).count == 1)
        try await bench.answerSettings(south.number, .success(.preparedGain()), by: NodeName("south"))
        let commits = (
            try await bench.settingsStep(of: NodeName("north"), after: 1),
            try await bench.settingsStep(of: NodeName("south"), after: 1)
        )
        #expect(commits.0.step == commits.1.step)
        for (node, commit) in [("north", commits.0), ("south", commits.1)] {
            try await bench.answerSettings(
                commit.number, .success(.applied(Samples.settingsEffect)), by: NodeName(node))
        }
        let told = try await report.value
        #expect(told.cameras.map(\.outcome) == [.set(Samples.settingsEffect), .set(Samples.settingsEffect)])
        #expect(commits.0.step == .commit(at: try #require(told.time)))
        let event = try #require(bench.links.asked.value.events.last?.source.event)
        #expect(event.name == .settingsApplied && event.details == ["settings": "\(told.id)", "set": "2"])
        await bench.end()
    }

    @Test func `A repeat is answered with the first report, and does not set again`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let first = Task { try await bench.rig.apply(try request(), by: anna) }
        let prepare = try await bench.settingsStep(of: NodeName("north"))
        let second = Task { try await bench.rig.apply(try request(), by: anna) }
        try await bench.answerSettings(prepare.number, .success(.preparedGain()), by: NodeName("north"))
        let commit = try await bench.settingsStep(of: NodeName("north"), after: 1)
        try await bench.answerSettings(commit.number, .success(.applied(Samples.settingsEffect)), by: NodeName("north"))
        let report = try await first.value
        #expect(try await second.value == report)
        #expect(try await bench.rig.apply(try request(), by: anna) == report)
        #expect(try bench.links.asked.value.settingsSteps(of: NodeName("north")).count == 2)
        #expect(await refusal(bench, try request(1, "gain=raw:8")) == .conflict, "another content")
        #expect(await refusal(bench, try request(), by: ben) == .conflict, "another's")
        await bench.end()
    }

    @Test func `Eight repeats wait for a transaction, and one more is refused`() throws {
        let transactions = SettingsTransactions()
        let request = try request()
        let report = SettingsReport(id: request.id, settings: request.settings)
        _ = try transactions.begin(request, by: anna, cameras: []) { Task { report } }
        for _ in 0..<8 { try transactions.join(request.id) }
        #expect(throws: RigProblem.self) { try transactions.join(request.id) }
        transactions.leave(request.id)
        try transactions.join(request.id)
    }

    @Test func `Sixteen transactions are in progress at most, and the newest reports are kept`() throws {
        let transactions = SettingsTransactions()
        for number in 1...16 {
            _ = try transactions.begin(try request(Int64(number)), by: anna, cameras: []) { Task { Self.report } }
        }
        #expect(throws: RigProblem.self) {
            _ = try transactions.begin(try request(17), by: anna, cameras: []) { Task { Self.report } }
        }
        for number in 1...80 {
            let request = try request(Int64(number))
            if number > 16 { _ = try transactions.begin(request, by: anna, cameras: []) { Task { Self.report } } }
            let report = SettingsReport(id: request.id, settings: request.settings)
            transactions.conclude(report, storedBy: UInt64(number))
            let early = transactions.end(storedThrough: UInt64(number - 1))
            #expect(early.isEmpty, "its end is not durable")
            let ended = transactions.end(storedThrough: UInt64(number))
            #expect(ended == [report])
        }
        if try transactions.earlier(try request(16), by: anna) != nil { Issue.record("older reports are not kept") }
        guard case .ended(let kept)? = try transactions.earlier(try request(17), by: anna) else {
            Issue.record("the newest 64 reports are kept")
            return
        }
        #expect(kept.id == Samples.settings(17))
    }

    private static let report = SettingsReport(id: Samples.settings(), settings: CaptureSettings())

    @Test func `A T that cannot be is refused before a camera is asked`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        #expect(await refusal(bench, try request(time: .relative(nanoseconds: -1))) == .tooSoon)
        #expect(await refusal(bench, try request(time: .relative(nanoseconds: 3_600_000_000_000))) == .tooFarAhead)
        #expect(bench.links.asked.value.sent.isEmpty)
        await bench.end()
    }

    @Test func `A T that has come while cameras prepared sets nothing, and they drop what they have prepared`()
        async throws
    {
        let clock = ManualTimeSource()
        let bench = try await RigBench(folder: folder, clock: clock)
        try await bench.hello("north")
        let report = Task { try await bench.rig.apply(try request(time: .relative(nanoseconds: 50_000_000)), by: anna) }
        let prepare = try await bench.settingsStep(of: NodeName("north"))
        clock.advance(by: .milliseconds(51))
        try await bench.answerSettings(prepare.number, .success(.preparedGain()), by: NodeName("north"))
        let undo = try await bench.settingsStep(of: NodeName("north"), after: 1)
        #expect(undo.step == .undo)
        try await bench.answerSettings(undo.number, .success(.undone), by: NodeName("north"))
        let told = try await report.value
        #expect(told.time == nil && told.cameras.map(\.outcome.problem?.code) == [.tooSoon])
        await bench.end()
    }

    @Test func `A node that goes after it was told to set is lost`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let report = Task { try await bench.rig.apply(try request(), by: anna) }
        let prepare = try await bench.settingsStep(of: NodeName("north"))
        try await bench.answerSettings(prepare.number, .success(.preparedGain()), by: NodeName("north"))
        _ = try await bench.settingsStep(of: NodeName("north"), after: 1)
        try await bench.hello("north", epoch: 2)
        let outcome = try #require(try await report.value.cameras.first?.outcome)
        #expect(outcome.word == .lost && outcome.problem?.code == .agentRestarted)
        await bench.end()
    }

    @Test func `While somebody holds the rig, others set nothing`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        _ = try await bench.rig.carryOut(.take(HoldRequest(duration: .seconds(60), note: nil, overrides: nil)), by: ben)
        #expect(await refusal(bench, try request()) == .held)
        await bench.end()
    }
}
