import CaptureModel
import CaptureTestSupport
import ControlMessages
import FolderStore
import PosixSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Profiles, undo and settings of single cameras, through the coordinator. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct RigProfilesTests {
    private let folder: TemporaryFolder
    private let anna: Principal
    private let night: ProfileName
    private let (north, south): (DeviceID, DeviceID)

    init() throws {
        folder = try TemporaryFolder()
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        night = try #require(ProfileName("night"))
        (north, south) = (try DeviceID("north/cam"), try DeviceID("south/cam"))
    }

    /// A rig of two nodes with the stores of a folder.
    private func started() async throws -> RigBench {
        let thread = try ThreadExecutor(name: "test")
        let ledger = try DocumentFile(.settings, in: folder.path + "/state", executor: thread)
        let bench = try await RigBench(
            folder: try TemporaryFolder(), committedSettings: try await ledger.read() ?? [], settingsLedger: ledger,
            profileStore: try FolderProfiles(folder: folder.path + "/state", executor: thread))
        for node in ["north", "south"] { try await bench.hello(node) }
        return bench
    }

    private func settings(_ text: String) throws -> CaptureSettings { try CaptureSettings(parsing: text) }

    private func held(_ text: String) throws -> Result<DeviceReply, RigProblem> {
        .success(.held(HeldSettings(settings: try settings(text))))
    }

    /// Answers the next question for what a node's camera holds.
    private func answerHeld(
        _ bench: RigBench, _ node: String, after done: Int = 0, _ result: Result<DeviceReply, RigProblem>
    ) async throws {
        let name = try NodeName(node)
        await bench.links.asked.wait { $0.questions(of: name).count > done }
        let number = bench.links.asked.value.questions(of: name)[done]
        await bench.rig.accept(DeviceAnswer(number: number, devices: [], outcome: result), from: name)
    }

    /// Answers for both nodes that their cameras are those of the profile.
    private func answerHardware(_ bench: RigBench, after done: Int) async throws {
        for node in ["north", "south"] {
            try await answerHeld(bench, node, after: done, .success(.held(HeldSettings())))
        }
    }

    private func save(
        _ bench: RigBench,
        _ answers: (north: Result<DeviceReply, RigProblem>, south: Result<DeviceReply, RigProblem>),
        after done: Int = 0
    ) async throws -> SavedProfile {
        let saving = Task { try await bench.rig.carryOut(.save(night, Selection()), by: anna) }
        try await answerHeld(bench, "north", after: done, answers.north)
        try await answerHeld(bench, "south", after: done, answers.south)
        guard case .savedProfile(let saved) = try await saving.value else { throw CancellationError() }
        return saved
    }

    /// Plays both steps of a node, and returns what it was asked.
    private func play(
        _ bench: RigBench, _ node: String, after done: Int, earlier: String?,
        _ end: Result<SettingsStepResult, RigProblem> = .success(.applied(Samples.settingsEffect))
    ) async throws -> CaptureSettings? {
        let name = try NodeName(node)
        let preparation = SettingsPreparation(outcomes: [], earlier: try earlier.map { try settings($0) })
        let prepare = await bench.answerSettings(of: name, after: done, .success(.prepared(preparation)))
        await bench.answerSettings(of: name, after: done + 1, end)
        guard case .prepare(let settings) = prepare else { return nil }
        return settings
    }

    /// Carries out a request at both nodes.
    private func apply(
        _ bench: RigBench, _ request: SettingsRequest, after done: Int, earlier: (north: String, south: String)
    ) async throws -> (report: SettingsReport, asked: [CaptureSettings?]) {
        let report = Task { try await bench.rig.apply(request, by: anna) }
        async let first = play(bench, "north", after: done, earlier: earlier.north)
        async let second = play(bench, "south", after: done, earlier: earlier.south)
        let asked = [try await first, try await second]
        return (try await report.value, asked)
    }

    private func refusal(_ work: () async throws -> Void) async -> RigProblem? {
        do {
            try await work()
            return nil
        } catch {
            return error as? RigProblem
        }
    }

    @Test func `Each camera is asked its own settings`() async throws {
        let bench = try await started()
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try settings("gain=raw:1"),
            cameras: [south: try settings("gain=raw:2")])
        let asked = try await apply(bench, request, after: 0, earlier: ("", "")).asked
        #expect(asked == [try settings("gain=raw:1"), try settings("gain=raw:2")])
        await bench.end()
    }

    @Test func `Settings of a camera that the rig does not have are refused before any is asked`() async throws {
        let bench = try await started()
        let problem = await refusal {
            _ = try await bench.rig.apply(
                SettingsRequest(
                    id: Samples.settings(), selection: Selection(), settings: try settings("gain=raw:1"),
                    cameras: [try DeviceID("east/cam"): try settings("gain=raw:2")]), by: anna)
        }
        #expect(problem?.code == .unknownDevice && problem?.message.contains("east/cam") == true)
        #expect(bench.links.asked.value.sent.isEmpty)
        await bench.end()
    }

    @Test func `What cameras hold is saved, and loaded by the next run of the coordinator`() async throws {
        var bench = try await started()
        let saved = try await save(bench, (try held("driver.gain=1"), try held("driver.gain=2 driver.hue=3")))
        #expect(saved.isNew && saved.profile.reference == ProfileReference("night@1") && saved.leftOut.isEmpty)
        let event = try #require(bench.links.asked.value.events.last?.source.event)
        #expect(event.name == .profileSaved && event.details["profile"] == "night@1")
        await bench.end()
        bench = try await started()
        let request = SettingsRequest(id: Samples.settings(), origin: .profile(ProfileReference(night)))
        async let known: Void = answerHardware(bench, after: 0)
        let loaded = try await apply(bench, request, after: 0, earlier: ("driver.gain=8", "driver.gain=9"))
        try await known
        #expect(loaded.asked == [try settings("driver.gain=1"), try settings("driver.gain=2 driver.hue=3")])
        #expect(loaded.report.profile == ProfileReference("night@1"))
        #expect(loaded.report.cameras.map(\.outcome.word) == [.set, .set])
        await bench.end()
    }

    @Test func `A repeat of a load is answered as the first time, though there is a newer version`() async throws {
        let bench = try await started()
        _ = try await save(bench, (try held("driver.gain=1"), try held("driver.gain=2")))
        let request = SettingsRequest(id: Samples.settings(), origin: .profile(ProfileReference(night)))
        async let known: Void = answerHardware(bench, after: 1)
        let first = try await apply(bench, request, after: 0, earlier: ("", "")).report
        try await known
        #expect(try await save(bench, (try held("driver.gain=5"), try held("driver.gain=2")), after: 2).isNew)
        #expect(try await bench.rig.apply(request, by: anna) == first)
        #expect(try bench.links.asked.value.settingsSteps(of: NodeName("north")).count == 2)
        await bench.end()
    }

    @Test func `A camera that does not answer, or holds nothing, is left out and said to be`() async throws {
        let bench = try await started()
        let saved = try await save(
            bench, (.failure(RigProblem(.inputOutput, "north/cam: the disk")), try held("driver.gain=2")))
        #expect(saved.profile.cameras.map(\.device) == [south] && saved.leftOut.map(\.problem.code) == [.inputOutput])
        let waiting = HeldSettings(settings: try settings("driver.gain=1"), waiting: [Samples.settings(9)])
        let problem = await refusal {
            _ = try await save(bench, (try held(""), .success(.held(waiting))), after: 1)
        }
        #expect(problem?.code == .emptySelection)
        #expect(problem?.message.contains("holds no settings") == true)
        #expect(problem?.message.contains("wait for its start") == true)
        await bench.end()
    }

    @Test func `A name or version that the rig does not have is refused by name`() async throws {
        let bench = try await started()
        for _ in 1...2 {
            let problem = await refusal {
                _ = try await bench.rig.apply(
                    SettingsRequest(id: Samples.settings(), origin: .profile(ProfileReference(night))), by: anna)
            }
            #expect(problem?.code == .unknownProfile && problem?.message.contains("'night'") == true)
        }
        _ = try await save(bench, (try held("driver.gain=1"), try held("driver.gain=2")))
        let version = await refusal { _ = try await bench.rig.profile(ProfileReference(night, version: 2)) }
        #expect(version?.code == .unknownProfile && version?.message.contains("it has 1") == true)
        #expect(
            await refusal { _ = try await bench.rig.carryOut(.remove(try #require(ProfileName("day"))), by: anna) }?
                .code == .unknownProfile)
        await bench.end()
    }

    @Test func `An undo gives each camera the values before, also in the next run, and then there is nothing to undo`()
        async throws
    {
        var bench = try await started()
        let change = SettingsRequest(
            id: Samples.settings(1), selection: Selection(), settings: try settings("gain=raw:9"))
        _ = try await apply(bench, change, after: 0, earlier: ("driver.gain=1", "driver.gain=2"))
        await bench.end()
        bench = try await started()
        let undo = try await apply(
            bench, SettingsRequest(id: Samples.settings(2), origin: .undo(.newest)), after: 0,
            earlier: ("driver.gain=9", "driver.gain=9"))
        #expect(undo.asked == [try settings("driver.gain=1"), try settings("driver.gain=2")])
        #expect(undo.report.undoes == change.id)
        let problem = await refusal {
            _ = try await bench.rig.apply(SettingsRequest(id: Samples.settings(3), origin: .undo(.newest)), by: anna)
        }
        #expect(problem?.code == .conflict && problem?.message.contains("no settings transaction to undo") == true)
        let history = await bench.rig.pastSettings()
        #expect(history.map(\.id) == [Samples.settings(2), Samples.settings(1)])
        #expect(history.map { $0.cameras.map(\.outcome) } == [[.set, .set], [.set, .set]])
        await bench.end()
    }

    @Test
    func `One undo gives cameras the values before all transactions of a run, also in the next run of the coordinator`()
        async throws
    {
        var bench = try await started()
        let run = SettingsRunID(Samples.settings(9).uuid)
        for (id, earlier) in [
            (1, ("driver.auto_exposure=3", "driver.gain=2")), (2, ("driver.exposure_time_absolute=8", "driver.gain=5")),
        ] {
            let step = SettingsRequest(
                id: Samples.settings(Int64(id)), selection: Selection(), settings: try settings("gain=raw:\(id)"),
                run: run)
            _ = try await apply(bench, step, after: 2 * (id - 1), earlier: earlier)
        }
        await bench.end()
        bench = try await started()
        let undo = try await apply(
            bench, SettingsRequest(id: Samples.settings(3), origin: .undo(.newest)), after: 0, earlier: ("", ""))
        #expect(undo.asked == [try settings("driver.auto_exposure=3"), try settings("driver.gain=2")])
        #expect(undo.report.undoesRun == run && undo.report.undoes == Samples.settings(2))
        let history = await bench.rig.pastSettings()
        #expect(history.map(\.run) == [nil, run, run] && history.map(\.undoesRun) == [run, nil, nil])
        let problem = await refusal {
            _ = try await bench.rig.apply(SettingsRequest(id: Samples.settings(4), origin: .undo(.newest)), by: anna)
        }
        #expect(problem?.message.contains("no settings transaction to undo") == true)
        await bench.end()
    }

    @Test func `A camera is undone while another one is being set`() async throws {
        let bench = try await started()
        let change = SettingsRequest(
            id: Samples.settings(1), selection: Selection(), settings: try settings("gain=raw:9"))
        _ = try await apply(bench, change, after: 0, earlier: ("driver.gain=1", "driver.gain=2"))
        let busy = SettingsRequest(
            id: Samples.settings(2), selection: Selection(devices: [south]), settings: try settings("gain=raw:3"))
        let setting = Task { try await bench.rig.apply(busy, by: anna) }
        let name = try NodeName("south")
        await bench.links.asked.wait { $0.settingsSteps(of: name).count > 2 }
        let request = SettingsRequest(
            id: Samples.settings(3), origin: .undo(UndoScope(Samples.settings(1))))
        let undoing = Task { try await bench.rig.apply(request, by: anna) }
        #expect(try await play(bench, "north", after: 2, earlier: "") == settings("driver.gain=1"))
        let undone = try await undoing.value
        #expect(undone.cameras.map(\.outcome.word) == [.set, .refused] && undone.undoes == change.id)
        #expect(undone.cameras[1].outcome.problem?.message.contains("south/cam") == true)
        _ = try await play(bench, "south", after: 2, earlier: "")
        #expect(try await setting.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }

    @Test func `While a transaction is in progress, there is no undo`() async throws {
        let bench = try await started()
        let change = SettingsRequest(
            id: Samples.settings(1), selection: Selection(), settings: try settings("gain=raw:9"))
        let report = Task { try await bench.rig.apply(change, by: anna) }
        await bench.links.asked.wait { $0.sent.count > 1 }
        let problem = await refusal {
            _ = try await bench.rig.apply(SettingsRequest(id: Samples.settings(2), origin: .undo(.newest)), by: anna)
        }
        #expect(problem?.code == .conflict && problem?.message.contains("in progress") == true)
        for (scope, code) in [
            (UndoScope(cameras: [north]), RigProblem.Code.conflict), (UndoScope(Samples.settings(1)), .conflict),
            (UndoScope(cameras: [try DeviceID("east/cam")]), .unknownDevice),
        ] {
            let problem = await refusal {
                _ = try await bench.rig.apply(
                    SettingsRequest(id: Samples.settings(2), origin: .undo(scope)), by: anna)
            }
            #expect(problem?.code == code, "\(scope)")
        }
        async let first = play(bench, "north", after: 0, earlier: "")
        async let second = play(bench, "south", after: 0, earlier: "")
        _ = (try await first, try await second)
        #expect(try await report.value.cameras.map(\.outcome.word) == [.set, .set])
        await bench.end()
    }
}

extension FakeLinks.Asked {
    /// The numbers of the questions for what a node's cameras hold, in order.
    fileprivate func questions(of node: NodeName) -> [UInt64] {
        sent.compactMap { told in
            guard told.node == node, let (number, request) = told.order.device,
                case .heldSettings? = request.command
            else { return nil }
            return number
        }
    }
}
