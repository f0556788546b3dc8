import CaptureModel
import CaptureTestSupport
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// The table of ``SettingsLedger``, and the values beside it, without a rig.
@Suite struct SettingsLedgerTests {
    private let north: DeviceID
    private let south: DeviceID
    private let anna: Principal
    private let line = RigClockID(rawValue: "rig-1")
    private let time = RigTime(nanoseconds: 9_000)
    private let now = LocalTime(nanoseconds: 1_000_000_000)

    init() throws {
        north = try DeviceID("north/cam")
        south = try DeviceID("south/cam")
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
    }

    /// A transaction for two cameras.
    /// - Parameter isAway: Whether `south` waits for its node.
    private func transaction(
        _ number: Int64 = 1, isAway: Bool = false, earlier: CommittedSettings? = nil
    ) throws -> SettingsTransaction {
        let settings = try CaptureSettings(parsing: "gain=raw:7")
        let request = SettingsRequest(id: Samples.settings(number), selection: Selection(), settings: settings)
        var order = SettingsOrder(cameras: [north, south], settings: [north: settings, south: settings])
        if isAway { order.postpone(south) }
        var transaction = SettingsTransaction(request, order, earlier: earlier)
        _ = transaction.begin()
        return transaction
    }

    private func report(_ device: DeviceID, _ outcome: CameraSettingsOutcome) -> CameraSettingsReport {
        CameraSettingsReport(device: device, outcome: outcome)
    }

    private func commit(_ ledger: inout SettingsLedger, _ transaction: SettingsTransaction) {
        ledger.commit(transaction, by: anna, on: line, at: 5)
    }

    @discardableResult
    private func end(
        _ ledger: inout SettingsLedger, _ transaction: SettingsTransaction, _ reports: [CameraSettingsReport] = []
    ) -> Bool {
        ledger.end(transaction, reports, by: anna, on: line, at: time, realtimeNanoseconds: 6)
    }

    @Test func `A transaction is kept with its request until it has ended`() throws {
        var ledger = SettingsLedger()
        let transaction = try transaction()
        commit(&ledger, transaction)
        let kept = try #require(ledger.committed.first)
        #expect(kept.state == .committed && kept.open?.request == transaction.request && kept.open?.principal == anna)
        #expect(kept.past?.cameras.map(\.device) == [north, south] && kept.rigClock == line && kept.time == nil)
        #expect(end(&ledger, transaction, [report(north, .failed(RigProblem(.deviceLost, "gone")))]) == true)
        let ended = try #require(ledger.committed.first)
        #expect(ended.state == .ended && ended.open == nil && ended.time == time && ledger.committed.count == 1)
        #expect(ended.past?.cameras.first?.outcome == .failed)
    }

    @Test func `What an earlier run has ended does not end again`() throws {
        let stored = CommittedSettings(id: Samples.settings(), rigClock: line, state: .ended)
        var ledger = SettingsLedger([stored])
        #expect(end(&ledger, try transaction(earlier: stored)) == false)
        #expect(ledger.committed == [stored])
    }

    @Test func `A transaction that was not committed is kept as refused, and one that is removed not at all`() throws {
        var ledger = SettingsLedger()
        #expect(end(&ledger, try transaction()) == true)
        #expect(ledger.committed.map(\.state) == [.refused] && ledger.committed.first?.past == nil)
        commit(&ledger, try transaction(2))
        ledger.remove(Samples.settings(2))
        #expect(ledger.committed.map(\.id) == [Samples.settings(1)])
    }

    @Test func `A node may name what it was told, and what was before this run`() throws {
        var ledger = SettingsLedger([
            CommittedSettings(id: Samples.settings(8), rigClock: line, state: .ended),
            CommittedSettings(id: Samples.settings(9), rigClock: line, state: .refused),
        ])
        commit(&ledger, try transaction())
        let known = ledger.known(since: 77)
        #expect(
            known
                == KnownSettings(
                    transactions: [
                        Samples.settings(8): .toldUnknown, Samples.settings(9): .refused,
                        Samples.settings(1): .told([north, south]),
                    ], completeSince: 77))
        #expect(ledger.known(since: nil).completeSince == .max)
    }

    @Test func `Of forgotten transactions the newest date is known`() throws {
        var ledger = SettingsLedger()
        for number in 1...Int64(SettingsTransactions.keptLimit) + 2 { end(&ledger, try transaction(number)) }
        #expect(ledger.committed.count == SettingsTransactions.keptLimit)
        #expect(ledger.known(since: 0).completeSince == Samples.settings(2).uuid.unixMilliseconds)
    }

    @Test func `Settings wait for a node until they are delivered, the oldest first`() throws {
        var ledger = SettingsLedger()
        let (first, second) = (try transaction(1, isAway: true), try transaction(2, isAway: true))
        commit(&ledger, first)
        commit(&ledger, second)
        #expect(ledger.isWaiting(for: south) && !ledger.isWaiting(for: north))
        #expect(ledger.delivery(to: south.node) == nil, "the oldest has no report yet")
        let deferred = CameraSettingsOutcome.deferred(RigProblem(.nodeUnreachable, "away"))
        for transaction in [first, second] { end(&ledger, transaction, [report(south, deferred)]) }
        #expect(ledger.delivery(to: south.node)?.0.id == first.request.id)
        #expect(ledger.delivery(to: north.node) == nil)
        let (old, new) = (try CaptureSettings(parsing: "gain=raw:1"), try CaptureSettings(parsing: "gain=raw:2"))
        ledger.noteEarlier(old, of: south, in: first.request.id)
        ledger.noteDelivered(
            report(south, .failed(RigProblem(.deviceLost, "gone"))), earlier: new, of: first.request.id)
        let camera = try #require(ledger.committed.first?.past?.cameras.last)
        #expect(camera.outcome == .failed && !camera.awaitsNode && camera.earlier == old, "the first values count")
        #expect(ledger.delivery(to: south.node)?.0.id == second.request.id)
    }

    @Test func `What waits for a camera is dropped once, and nothing else of it`() throws {
        var ledger = SettingsLedger()
        let transaction = try transaction(isAway: true)
        commit(&ledger, transaction)
        #expect(ledger.dropWaiting(north, of: transaction.request.id) == false)
        var other = ledger
        #expect(ledger.dropWaiting(south, of: transaction.request.id) == true)
        #expect(ledger.dropWaiting(south, of: transaction.request.id) == false)
        #expect(!ledger.isWaiting(for: south))
        #expect(ledger.committed.first?.past?.cameras.map(\.outcome) == [nil, .undone])
        #expect(other.dropWaiting(of: [north]) == false)
        #expect(other.dropWaiting(of: [north, south]) == true)
        #expect(other.committed == ledger.committed)
    }

    @Test func `No more transactions wait for nodes than the limit`() throws {
        var ledger = SettingsLedger()
        for number: Int64 in 1...16 {
            #expect(ledger.hasRoomForWaiting)
            commit(&ledger, try transaction(number, isAway: true))
        }
        #expect(!ledger.hasRoomForWaiting)
    }

    @Test func `A change is durable when it was written, and a failure says why it is not`() {
        var ledger = SettingsLedger()
        let change = ledger.change()
        #expect(ledger.next(at: now) == .write(through: change))
        #expect(ledger.problem(of: change)?.code == .inputOutput && ledger.fate(of: change) == .pending)
        #expect(ledger.wrote(through: change, .success(()), at: now) == false)
        #expect(ledger.problem(of: change) == nil && ledger.stored == change && ledger.fate(of: change) == .stored)
    }
}

/// The table of ``SettingsCancellations``.
@Suite struct SettingsCancellationsTests {
    private let id = Samples.settings()
    private let camera: DeviceID
    private let anna: Principal

    init() throws {
        camera = try DeviceID("north/cam")
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
    }

    private func at(_ nanoseconds: Int64) -> RigTime { RigTime(nanoseconds: nanoseconds) }

    @Test func `A transaction can be cancelled until T, and its cameras are told once they were told to set`() {
        var cancellations = SettingsCancellations()
        func told(at now: RigTime, isStored: Bool) -> [DeviceID]? {
            cancellations.camerasToTell(of: id, at: now, isStored: isStored)
        }
        #expect(told(at: at(5), isStored: false) == [], "nothing is stored")
        #expect(told(at: at(5), isStored: true) == nil, "an earlier run may have told its cameras")
        cancellations.stores(id)
        #expect(told(at: at(5), isStored: true) == [])
        cancellations.commits(id, [camera], at: at(9))
        #expect(told(at: at(8), isStored: true) == [camera])
        #expect(told(at: at(9), isStored: true) == nil)
        cancellations.hasCommitted(id)
        #expect(told(at: at(8), isStored: true) == nil)
    }

    @Test func `A cancelled transaction says who has cancelled it, until it has ended`() async {
        var cancellations = SettingsCancellations()
        cancellations.commits(id, [camera], at: at(9))
        let camera = camera
        cancellations.cancel(id, by: anna, Task { [camera: .success(())] })
        #expect(cancellations.camerasToTell(of: id, at: at(5), isStored: true) == nil, "it is cancelled already")
        let problem = cancellations.problem(of: id)
        #expect(problem?.code == .cancelled && problem?.message.hasPrefix("anna has cancelled settings \(id)") == true)
        #expect(await cancellations.answers(of: id)?.value.keys.map(\.self) == [camera] && !cancellations.isEmpty)
        cancellations.end(id)
        #expect(cancellations.problem(of: id) == nil && cancellations.answers(of: id) == nil && cancellations.isEmpty)
    }
}

@Suite struct SettingsDeliveriesTests {
    private let camera: DeviceID

    init() throws {
        camera = try DeviceID("north/cam")
    }

    @Test func `One task tells a node, and goes through everything again if it is to`() {
        let deliveries = SettingsDeliveries()
        var started = 0
        for _ in 1...3 {
            deliveries.begin(camera.node) {
                started += 1
                return Task {}
            }
        }
        #expect(started == 1 && deliveries.task(for: camera.node) != nil)
        #expect(deliveries.goesOn(camera.node) == true)
        #expect(deliveries.goesOn(camera.node) == false)
        #expect(deliveries.task(for: camera.node) == nil)
        deliveries.begin(camera.node) {
            started += 1
            return Task {}
        }
        #expect(started == 2)
    }

    @Test func `A node is told the steps that it has missed in their order, and none of a camera that has left`() throws
    {
        let deliveries = SettingsDeliveries()
        let other = try DeviceID("north/other")
        deliveries.add(.undo, of: Samples.settings(1), to: camera)
        deliveries.add(.giveUp, of: Samples.settings(2), to: other)
        let first = try #require(deliveries.untoldStep(of: camera.node))
        #expect(first.id == Samples.settings(1) && first.step == .undo)
        deliveries.told(first)
        #expect(deliveries.untoldStep(of: camera.node)?.device == other)
        deliveries.forget([other])
        #expect(deliveries.untoldStep(of: camera.node) == nil)
    }
}

@Suite struct AlarmListTests {
    @Test func `A task is woken while its alarm is in the list`() async {
        let clock = ManualTimeSource()
        var alarms = AlarmList()
        let alarm = Alarm(clock: clock)
        let number = alarms.add(alarm)
        #expect(alarms.count == 1 && alarms.add(Alarm(clock: clock)) != number)
        alarms.ring()
        await alarm.wait(until: nil)
        alarms.remove(number)
        #expect(alarms.count == 1)
    }
}
