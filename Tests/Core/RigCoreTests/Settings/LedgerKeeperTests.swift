import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// The table of ``LedgerKeeper``, without a rig. The disk is a value in memory that may be in trouble.
@Suite(.timeLimit(.minutes(10))) struct LedgerKeeperTests {
    private let disk = FailingLedger()
    private let clock = ManualTimeSource()
    private let log = CapturedLog()
    private let camera: DeviceID
    private let anna: Principal

    init() throws {
        camera = try DeviceID("north/cam")
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
    }

    private func transaction(isAway: Bool = false) throws -> SettingsTransaction {
        let settings = try CaptureSettings(parsing: "gain=raw:7")
        let request = SettingsRequest(id: Samples.settings(), selection: Selection(), settings: settings)
        var order = SettingsOrder(cameras: [camera], settings: [camera: settings])
        if isAway { order.postpone(camera) }
        var transaction = SettingsTransaction(request, order)
        _ = transaction.begin()
        return transaction
    }

    private func report(_ outcome: CameraSettingsOutcome) -> SettingsReport {
        SettingsReport(
            id: Samples.settings(), settings: CaptureSettings(),
            cameras: [CameraSettingsReport(device: camera, outcome: outcome)])
    }

    /// A task that waits for the disk until it does.
    private func awaiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async -> Task<
        Value, any Error
    > {
        let due = clock.now() + LedgerKeeper.patience
        let task = Task { try await body() }
        await clock.sleeper(until: due)
        return task
    }

    @Test func `A transaction is stored before cameras are told to set, and its end before that is answered`()
        async throws
    {
        let owner = Owner(disk, clock, log)
        let transaction = try transaction()
        try await owner.commit(transaction, by: anna)
        #expect(await disk.stored.map(\.state) == [.committed])
        let report = report(.set(Samples.settingsEffect))
        let change = try #require(await owner.end(transaction, report, by: anna))
        #expect(await owner.answer(report, storedBy: change) == report)
        #expect(await disk.stored.map(\.state) == [.ended])
        #expect(await owner.told == 2, "after each write")
        #expect(log.lines.value == [])
        await owner.stop()
    }

    @Test func `What a disk refuses is not kept, and is stored when the disk is back`() async throws {
        let owner = Owner(disk, clock, log)
        await disk.begin(.full)
        let transaction = try transaction()
        let problem = await #expect(throws: RigProblem.self) { try await owner.commit(transaction, by: anna) }
        #expect(problem?.code == .noSpace && problem?.message.contains("nothing was set") == true)
        #expect(await owner.known == [])
        let refused = report(.refused(RigProblem(.noSpace, "no")))
        let change = try #require(await owner.end(transaction, refused, by: anna))
        let answer = try #require(await owner.answer(refused, storedBy: change).cameras.first?.outcome)
        #expect(answer.word == .refused, "it does not wait for the disk")
        #expect(answer.problem?.message.hasPrefix("no, but the coordinator cannot store that") == true)
        await disk.end()
        await clock.sleeper(until: clock.now() + LedgerWrites.retryInterval)
        clock.advance(by: LedgerWrites.retryInterval)
        _ = await log.line("settings transactions can be stored again")
        #expect(await disk.stored.map(\.state) == [.refused])
        #expect(log.lines.value.count == 2, "not every attempt is logged")
        #expect(await owner.answer(refused, storedBy: change) == refused)
        await owner.stop()
    }

    @Test func `No camera is named as set while a disk does not answer`() async throws {
        let owner = Owner(disk, clock, log)
        let transaction = try transaction()
        try await owner.commit(transaction, by: anna)
        await disk.begin(.frozen)
        let set = report(.set(Samples.settingsEffect))
        let change = try #require(await owner.end(transaction, set, by: anna))
        let answer = await awaiting { await owner.answer(set, storedBy: change) }
        clock.advance(by: LedgerKeeper.patience)
        let problem = try await answer.value.cameras.first?.outcome.problem
        #expect(problem?.code == .inputOutput && problem?.message.contains("ask for settings") == true)
        await disk.end()
        #expect(await owner.answer(set, storedBy: change) == set)
        await owner.stop()
    }

    @Test func `What has waited for a node is stored when the camera has it, and nothing is written without a change`()
        async throws
    {
        let owner = Owner(disk, clock, log)
        let waiting = try transaction(isAway: true)
        try await owner.commit(waiting, by: anna)
        let away = report(.deferred(RigProblem(.nodeUnreachable, "away")))
        let change = try #require(await owner.end(waiting, away, by: anna))
        #expect(await owner.answer(away, storedBy: change) == away)
        #expect(await owner.delivery(to: camera.node) == Samples.settings())
        await owner.noteDelivered([], of: waiting)
        #expect(await owner.told == 2)
        await owner.noteDelivered(report(.set(Samples.settingsEffect)).cameras, of: waiting)
        #expect(await owner.delivery(to: camera.node) == nil)
        #expect(await owner.told == 3)
        #expect(await disk.stored.first?.past?.cameras.map(\.outcome) == [.set])
        await owner.stop()
    }
}

/// An actor that owns a ledger, as the rig does.
private actor Owner {
    private let ledger: LedgerKeeper
    private(set) var told = 0
    private var running: Task<Void, Never>?

    init(_ disk: FailingLedger, _ clock: ManualTimeSource, _ log: CapturedLog) {
        ledger = LedgerKeeper([], in: disk, on: RigClockID(rawValue: "rig-1"), clock: clock, log: log.logger)
    }

    var known: [SettingsID] { ledger.content.committed.map(\.id) }

    private func start() {
        guard running == nil else { return }
        running = Task { await ledger.run { told += 1 } }
    }

    func stop() async {
        running?.cancel()
        await running?.value
    }

    func commit(_ transaction: SettingsTransaction, by principal: Principal) async throws(RigProblem) {
        start()
        try await ledger.commit(transaction, by: principal)
    }

    func end(_ transaction: SettingsTransaction, _ report: SettingsReport, by principal: Principal) -> UInt64? {
        start()
        return ledger.end(transaction, report.cameras, by: principal, at: nil)
    }

    func answer(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        await ledger.answer(report, storedBy: change)
    }

    func noteDelivered(_ reports: [CameraSettingsReport], of transaction: SettingsTransaction) async {
        await ledger.noteDelivered(reports, of: transaction)
    }

    func delivery(to node: NodeName) -> SettingsID? { ledger.content.delivery(to: node)?.0.id }
}
