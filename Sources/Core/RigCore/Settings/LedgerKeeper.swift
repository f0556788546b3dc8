import CaptureModel
import Logging
import StorageKit

/// Keeps the rig's settings transactions on a disk.
///
/// A change is made at once, and is written by ``run(afterWriting:)``, one write at a time, again and again until it is stored. Whoever depends on
/// that waits for it, at the longest for the time that it can spare.
///
/// | changed | waits until it is | after ``patience`` |
/// |---|---|---|
/// | a transaction, or earlier values of cameras, before cameras are told to set | stored, or the disk has refused it | no camera is told |
/// | a transaction has ended, and a camera is set | stored | its answer names no camera as set |
/// | a transaction has ended, and no camera is set | stored, or the disk has refused it | answered all the same, and its answer says so |
/// | what waits for a node | stored, or the disk has refused it | goes on |
///
/// Belongs to one actor, and runs on it.
final class LedgerKeeper {
    /// Time that the disk may take. Less than a node keeps what it has prepared.
    static let patience = Duration.seconds(10)

    private let store: (any DocumentStore<[CommittedSettings]>)?
    private let rigClock: RigClockID
    private let clock: any TimeSource
    private let log: Logger
    /// Wakes the task that writes.
    private let alarm: Alarm
    private var ledger: SettingsLedger
    /// Wake those that wait for a change to be stored. Bounded by the transactions, their repeats, and the nodes.
    private var waiters = AlarmList()

    /// - Parameters:
    ///   - committed: What an earlier run has stored.
    ///   - store: nil if no later run is to know the transactions.
    init(
        _ committed: [CommittedSettings], in store: (any DocumentStore<[CommittedSettings]>)?, on rigClock: RigClockID,
        clock: any TimeSource, log: Logger
    ) {
        ledger = SettingsLedger(committed)
        self.store = store
        self.rigClock = rigClock
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
    }

    /// The transactions as they are at present, stored or not.
    var content: SettingsLedger { ledger }

    /// A transaction that cameras may have been told to carry out; nil if it is not known.
    subscript(id: SettingsID) -> CommittedSettings? { ledger.committed.first { $0.id == id } }

    // MARK: Transactions

    /// Keeps a transaction whose cameras are about to be told to set. Returns when it is stored.
    /// - Throws: `inputOutput`, `noSpace`: then it is not kept, and no camera may be told.
    func commit(_ transaction: SettingsTransaction, by principal: Principal) async throws(RigProblem) {
        guard transaction.earlier == nil else { return }
        ledger.commit(transaction, by: principal, on: rigClock, at: realtimeNanoseconds)
        do throws(RigProblem) {
            try await requireStored("the transaction")
        } catch {
            // The disk may have it all the same, until its end is stored.
            ledger.remove(transaction.request.id)
            throw error
        }
    }

    /// Notes the end of a transaction.
    /// - Parameter time: T; nil if no camera was told to set.
    /// - Returns: The change with which it is stored; nil if it had ended before.
    func end(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        at time: RigTime?
    ) -> UInt64? {
        let isNew = ledger.end(
            transaction, cameras, by: principal, on: rigClock, at: time, realtimeNanoseconds: realtimeNanoseconds)
        return isNew ? change() : nil
    }

    /// Waits for the end of a transaction to be stored, if the answer depends on that, so that no later run of the coordinator undoes what was
    /// answered.
    /// - Returns: The report; if its end is not stored in time, one in which no camera is set, and that says so. Storing goes on.
    func answer(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        await wait(for: change) { fate in report.namesSetCameras ? fate == .stored : fate != .pending }
        guard let problem = ledger.problem(of: change) else { return report }
        return report.unstored(because: problem)
    }

    /// As ``SettingsLedger/noteDropped(_:of:)``. It is stored with the next change.
    func noteDropped(_ device: DeviceID, of id: SettingsID) { ledger.noteDropped(device, of: id) }

    // MARK: Cameras whose nodes are away

    /// Stores the values that cameras had before settings that have waited for their node, before they are told to set.
    /// - Throws: `inputOutput`, `noSpace`.
    func commitDelivery(_ transaction: SettingsTransaction) async throws(RigProblem) {
        for device in transaction.devices {
            ledger.noteEarlier(transaction.earlier(of: device), of: device, in: transaction.request.id)
        }
        try await requireStored("the earlier values")
    }

    /// Notes cameras that have got settings that have waited for their node, or never will. Nothing is written as long as nothing changes.
    func noteDelivered(_ reports: [CameraSettingsReport], of transaction: SettingsTransaction) async {
        guard !reports.isEmpty else { return }
        for report in reports {
            ledger.noteDelivered(
                report, earlier: transaction.earlier(of: report.device), of: transaction.request.id)
        }
        await storeChange()
    }

    /// Drops the settings of a transaction that wait for a camera's node. It is stored with the next change.
    /// - Returns: Whether there were any.
    func dropWaiting(_ device: DeviceID, of id: SettingsID) -> Bool { ledger.dropWaiting(device, of: id) }

    /// Drops what waits for cameras that the rig no longer has.
    func dropWaiting(of devices: [DeviceID]) async {
        if ledger.dropWaiting(of: devices) { await storeChange() }
    }

    // MARK: Storing

    /// Writes each change, until the task is cancelled.
    /// - Parameter tell: Called after each write, before those that wait for it are woken.
    func run(afterWriting tell: () async -> Void) async {
        while true {
            switch ledger.next(at: clock.now()) {
            case .write(let change):
                await write(through: change)
                await tell()
                waiters.ring()
            case .wait(let instant):
                guard !Task.isCancelled else { return }
                await alarm.wait(until: instant)
            }
        }
    }

    private func write(through change: UInt64) async {
        var result: Result<Void, StorageError> = .success(())
        do throws(StorageError) {
            try await store?.replace(with: ledger.committed)
        } catch {
            result = .failure(error)
        }
        guard ledger.wrote(through: change, result, at: clock.now()) else { return }
        switch result {
        case .success: log.info("settings transactions can be stored again")
        case .failure(let error):
            log.error("settings transactions cannot be stored; it is tried again", metadata: ["reason": "\(error)"])
        }
    }

    private var realtimeNanoseconds: Int64 { clock.wallClockPair().realtimeNanoseconds }

    /// Has the transactions written as they are.
    /// - Returns: The number of the change.
    private func change() -> UInt64 {
        let change = ledger.change()
        alarm.ring()
        return change
    }

    /// - Parameter what: What was changed, for the sentence of the problem.
    /// - Throws: `inputOutput`, `noSpace`.
    private func requireStored(_ what: String) async throws(RigProblem) {
        let change = await storeChange()
        if let problem = ledger.problem(of: change) {
            throw RigProblem(problem.code, "\(what) cannot be stored, so nothing was set: \(problem.message)")
        }
    }

    /// Stores what was changed; if that fails, again until it succeeds. Returns after the first attempt.
    /// - Returns: The number of the change.
    @discardableResult
    private func storeChange() async -> UInt64 {
        let change = change()
        await wait(for: change) { $0 != .pending }
        return change
    }

    /// Waits until what is known of a change is as wanted, at the longest for ``patience``.
    private func wait(for change: UInt64, _ isOver: (LedgerWrites.Fate) -> Bool) async {
        guard !isOver(ledger.fate(of: change)) else { return }
        let deadline = clock.now() + Self.patience
        let waiter = Alarm(clock: clock)
        let number = waiters.add(waiter)
        defer { waiters.remove(number) }
        while !isOver(ledger.fate(of: change)), clock.now() < deadline, !Task.isCancelled {
            await waiter.wait(until: deadline)
        }
    }
}

extension SettingsReport {
    /// Whether a camera is told to have the settings.
    fileprivate var namesSetCameras: Bool { cameras.contains { $0.outcome.effect != nil } }

    /// The report while the end of the transaction is not durable.
    fileprivate func unstored(because problem: RigProblem) -> SettingsReport {
        var report = self
        for index in report.cameras.indices { report.cameras[index].noteUnstored(in: id, because: problem) }
        return report
    }
}

extension CameraSettingsReport {
    /// Says what a restart of the coordinator may make of the outcome while the end of its transaction is not durable.
    fileprivate mutating func noteUnstored(in id: SettingsID, because problem: RigProblem) {
        let reason = "but the coordinator cannot store that, so that it may"
        let condition = "if it is restarted before it can: \(problem.message)"
        switch outcome {
        case .set, .rounded:
            outcome = .failed(
                RigProblem(
                    problem.code,
                    "\(device) has the settings, \(reason) undo them \(condition). It tries again; ask for settings \(id) again later"
                ))
        case .refused(let refusal):
            outcome = .refused(
                RigProblem(refusal.code, "\(refusal.message), \(reason) carry out a repeat \(condition)"))
        case .deferred(let delay):
            outcome = .deferred(RigProblem(delay.code, "\(delay.message), \(reason) forget them \(condition)"))
        case .failed, .lost, .undone: break
        }
    }
}
