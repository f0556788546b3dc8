import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// The undo of a run at a camera that has the first transaction, and waits for the others. The test plays its node.
@Suite(.timeLimit(.minutes(10))) struct UndoneRunTests {
    private let anna: Principal
    private let node: NodeName
    private let camera: DeviceID
    private let run = SettingsRunID(Samples.settings(900).uuid)

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        (node, camera) = (try NodeName("south"), try DeviceID("south/cam"))
    }

    private func settings(_ text: String) throws -> CaptureSettings { try CaptureSettings(parsing: text) }

    /// A rig that has set the first of `count` transactions of a run, before which the gain was 1. The others wait for the camera's start.
    private func bench(_ count: Int64, isFirstSet: Bool = true) async throws -> RigBench {
        let committed = try (1...count).map { id in
            let isSet = isFirstSet && id == 1
            return CommittedSettings(
                id: Samples.settings(id), rigClock: RigClockID(rawValue: "rig"), state: .ended,
                past: PastSettings(
                    id: Samples.settings(id), realtimeNanoseconds: id, principal: "anna", run: run,
                    cameras: [
                        PastSettings.Camera(
                            device: camera, settings: try settings("gain=raw:\(id)"),
                            earlier: isSet ? try settings("driver.gain=1") : nil, outcome: isSet ? .set : .deferred,
                            beforeRun: isFirstSet && !isSet ? try settings("driver.gain=1") : nil)
                    ]))
        }
        let bench = try await RigBench(
            folder: try TemporaryFolder(), committedSettings: committed, settingsLedger: MemoryLedger())
        try await bench.hello("south")
        return bench
    }

    /// Begins an undo of the newest run.
    private func undo(_ bench: RigBench, _ id: Int64, requireAll: Bool = false) -> Task<SettingsReport, any Error> {
        Task {
            try await bench.rig.apply(
                SettingsRequest(id: Samples.settings(id), origin: .undo(.newest), requireAll: requireAll), by: anna)
        }
    }

    /// The transactions that the node was told to drop.
    private func dropped(_ bench: RigBench) -> [SettingsID] {
        bench.links.asked.value.sent.compactMap { told in
            guard case .settings(let id, .undo)? = told.order.device?.request.command else {
                return nil
            }
            return id
        }
    }

    /// Answers the two steps that put back the gain.
    private func putBack(_ bench: RigBench, after done: Int) async throws {
        let preparation = SettingsPreparation(outcomes: [], earlier: try settings("driver.gain=3"))
        let asked = await bench.answerSettings(of: node, after: done, .success(.prepared(preparation)))
        #expect(try asked == .prepare(settings("driver.gain=1")))
        await bench.answerSettings(of: node, after: done + 1, .success(.applied(Samples.settingsEffect)))
    }

    @Test func `What was dropped is not dropped again, whatever fails after it`() async throws {
        let bench = try await bench(3)
        let first = undo(bench, 11)
        await bench.answerSettings(of: node, after: 0, .success(.undone))
        let restarted = RigProblem(.agentRestarted, "the agent was restarted")
        await bench.answerSettings(of: node, after: 1, .failure(restarted))
        #expect(try await first.value.cameras.map(\.outcome.word) == [.refused])

        let second = undo(bench, 12)
        await bench.answerSettings(of: node, after: 2, .success(.undone))
        await bench.answerSettings(of: node, after: 3, .failure(RigProblem(.conflict, "a flash is armed")))
        #expect(try await second.value.cameras.map(\.outcome.word) == [.refused])
        #expect(dropped(bench) == [3, 2, 2].map { Samples.settings($0) })

        let third = undo(bench, 13)
        try await putBack(bench, after: 4)
        #expect(try await third.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }

    @Test func `Settings that a camera has started with do not keep those before from being undone`() async throws {
        let bench = try await bench(2)
        let first = undo(bench, 11)
        await bench.answerSettings(of: node, after: 0, .failure(RigProblem(.conflict, "it has started with them")))
        #expect(try await first.value.cameras.map(\.outcome.word) == [.refused])
        let second = undo(bench, 12)
        try await putBack(bench, after: 1)
        #expect(try await second.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }

    @Test func `Where all are required, nothing is dropped at a camera that has values to put back too`() async throws {
        let bench = try await bench(2)
        let report = try await undo(bench, 11, requireAll: true).value
        #expect(report.cameras.map(\.outcome.problem?.code) == [.conflict])
        #expect(bench.links.asked.value.settingsSteps(of: node).isEmpty)
        // Both are undone still.
        let second = undo(bench, 12)
        await bench.answerSettings(of: node, after: 0, .success(.undone))
        try await putBack(bench, after: 1)
        #expect(try await second.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }

    @Test(arguments: [RigProblem.Code.noMemory, .noSpace, .inputOutput, .nodeUnreachable])
    func `What could not be dropped for a reason that passes is dropped by the next undo`(
        code: RigProblem.Code
    ) async throws {
        let bench = try await bench(1, isFirstSet: false)
        let first = undo(bench, 11)
        await bench.answerSettings(of: node, after: 0, .failure(RigProblem(code, "not now")))
        #expect(try await first.value.cameras.map(\.outcome.problem?.code) == [code])
        let second = undo(bench, 12)
        await bench.answerSettings(of: node, after: 1, .success(.undone))
        #expect(try await second.value.cameras.map(\.outcome.word) == [.undone])
        await bench.end()
    }

    @Test func `A single transaction that only its run can be undone with is refused before a camera is asked`()
        async throws
    {
        let past = PastSettings(
            id: Samples.settings(2), realtimeNanoseconds: 2, principal: "anna", run: run,
            cameras: [
                PastSettings.Camera(
                    device: camera, settings: try settings("gain=raw:2"), earlier: try settings("driver.gain=2"),
                    outcome: .set, beforeRun: try settings("driver.gain=1"))
            ])
        let bench = try await RigBench(
            folder: try TemporaryFolder(),
            committedSettings: [
                CommittedSettings(id: past.id, rigClock: RigClockID(rawValue: "rig"), state: .ended, past: past)
            ], settingsLedger: MemoryLedger())
        try await bench.hello("south")
        let request = SettingsRequest(id: Samples.settings(11), origin: .undo(UndoScope(past.id)))
        let problem = await #expect(throws: RigProblem.self) { try await bench.rig.apply(request, by: anna) }
        #expect(problem?.code == .conflict && problem?.message.contains("\(run)") == true)
        let whole = undo(bench, 12)
        try await putBack(bench, after: 0)
        #expect(try await whole.value.undoesRun == run)
        await bench.end()
    }

    @Test(arguments: [(2, "lists those that are kept"), (65, "lists the newest of those that are kept")])
    func `An undo of a run that is not kept says where the others are, as far as they are listed`(
        count: Int64, place: String
    ) async throws {
        let bench = try await bench(count)
        #expect(await bench.rig.pastSettings().count == min(count, 64))
        let unknown = Samples.settings(901)
        let request = SettingsRequest(
            id: Samples.settings(800), origin: .undo(UndoScope(SettingsRunID(unknown.uuid))))
        let undoing = await #expect(throws: RigProblem.self) { try await bench.rig.apply(request, by: anna) }
        let cancelling = await #expect(throws: RigProblem.self) {
            try await bench.rig.cancelSettings(unknown, by: anna)
        }
        for problem in [undoing, cancelling] {
            #expect(problem?.code == .conflict && problem?.message.contains(place) == true)
        }
        await bench.end()
    }

    @Test func `After a restart, a repeat that names another run than the first time is a conflict`() async throws {
        let bench = try await bench(1)
        func request(_ run: SettingsRunID?) throws -> SettingsRequest {
            SettingsRequest(
                id: Samples.settings(1), selection: Selection(devices: [camera]), settings: try settings("gain=raw:1"),
                run: run)
        }
        for other in [nil, SettingsRunID(Samples.settings(901).uuid)] {
            let request = try request(other)
            let problem = await #expect(throws: RigProblem.self) { try await bench.rig.apply(request, by: anna) }
            #expect(problem?.code == .conflict && problem?.message.contains("another request") == true)
        }
        let same = try request(run)
        let repeating = Task { try await bench.rig.apply(same, by: anna) }
        let preparation = SettingsPreparation(outcomes: [], earlier: try settings("driver.gain=1"))
        await bench.answerSettings(of: node, after: 0, .success(.prepared(preparation)))
        await bench.answerSettings(of: node, after: 1, .success(.applied(Samples.settingsEffect)))
        #expect(try await repeating.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }
}
