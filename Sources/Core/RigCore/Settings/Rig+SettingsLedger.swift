import CaptureModel
import Logging
import ShotLogic
import StorageKit

/// What the coordinator keeps of settings transactions, for repeats, undo and its next runs.
extension Rig {
    /// Time that the disk may take before cameras are told to set. Less than a node keeps what it has prepared.
    private static let commitPatience = Duration.seconds(10)
    /// Time for which an answer that names a camera as set waits until it is durable.
    private static let endPatience = Duration.seconds(10)

    /// Stores that cameras may have been told to set, before they are.
    /// - Throws: `inputOutput`, `noSpace`: then no camera is told.
    func noteCommitted(_ transaction: SettingsTransaction, by principal: Principal) async throws(RigProblem) {
        guard transaction.earlier == nil else { return }
        let open = CommittedSettings.Open(transaction.request, by: principal, cameras: transaction.devices)
        keep(
            CommittedSettings(
                id: transaction.request.id, rigClock: clockID, open: open,
                past: transaction.past(by: principal, at: realtimeNanoseconds)))
        do throws(RigProblem) {
            try await requireStored("the transaction")
        } catch {
            // The disk may have it all the same, until its end is stored.
            committedSettings.removeAll { $0.id == transaction.request.id }
            throw error
        }
    }

    /// Stores what was changed, before cameras are told to set.
    /// - Parameter what: What was changed, for the sentence of the problem.
    /// - Throws: `inputOutput`, `noSpace`.
    func requireStored(_ what: String) async throws(RigProblem) {
        let change = changeLedger()
        await waitForLedger(until: clock.now() + Self.commitPatience) { $0.fate(of: change) != .pending }
        if let problem = ledgerProblem(of: change) {
            throw RigProblem(problem.code, "\(what) cannot be stored, so nothing was set: \(problem.message)")
        }
    }

    /// The present on the wall clock.
    var realtimeNanoseconds: Int64 { clock.wallClockPair().realtimeNanoseconds }

    private func keep(_ transaction: CommittedSettings) {
        var transaction = transaction
        if var past = transaction.past {
            let before = SettingsHistory(committedSettings.compactMap(\.past)).beforeRun(of: past)
            for index in past.cameras.indices { past.cameras[index].beforeRun = before[past.cameras[index].device] }
            transaction.past = past
        }
        for forgotten in committedSettings.keep(transaction) {
            forgottenSettings = max(forgottenSettings, forgotten.uuid.unixMilliseconds)
        }
    }

    /// Notes the end of a transaction.
    /// - Returns: The change of the ledger with which it is durable; 0 if it was before.
    func noteEnded(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        at time: RigTime?
    ) -> UInt64 {
        guard transaction.earlier?.state ?? .committed == .committed else { return 0 }
        if let index = committedSettings.firstIndex(where: { $0.id == transaction.request.id }) {
            committedSettings[index].time = time
            committedSettings[index].state = .ended
            committedSettings[index].open = nil
            committedSettings[index].past?.note(cameras)
        } else {
            // Settings that waited for cameras' starts are dropped without a commit.
            let hasDropped = transaction.cameras.contains { $0.outcome.word == .undone }
            keep(
                CommittedSettings(
                    id: transaction.request.id, rigClock: clockID, state: hasDropped ? .ended : .refused,
                    past: hasDropped ? transaction.past(by: principal, at: realtimeNanoseconds) : nil))
        }
        if transaction.order.undoes != nil { noteUndo(transaction) }
        let change = changeLedger()
        // A node may have joined since.
        for node in Set(transaction.order.away.map(\.node)) { beginDelivery(to: node) }
        return change
    }

    /// Notes the cameras that no undo can give their earlier values, so that the next one goes on with the transaction before.
    private func noteUndo(_ transaction: SettingsTransaction) {
        let refused = transaction.cameras.filter { camera in
            camera.outcome.word == .refused && camera.outcome.problem?.code == .unsupportedSettings
        }
        let over = Set(refused.map(\.device))
        let order = transaction.order
        for index in committedSettings.indices {
            guard let past = committedSettings[index].past else { continue }
            for camera in past.cameras.indices {
                let device = past.cameras[camera].device
                // What was set before the settings that a camera has started with is put back by the next undo.
                guard order.undone[device]?.contains(past.id) == true,
                    over.contains(device) || order.started[device]?.contains(past.id) == true
                else { continue }
                committedSettings[index].past?.cameras[camera].isUndoOver = true
            }
        }
    }

    /// Notes that a camera's node has dropped settings that waited for the camera's start, also if the undo as a whole fails.
    func noteDropped(_ device: DeviceID, of id: SettingsID) {
        guard let index = committedSettings.firstIndex(where: { $0.id == id }),
            let camera = committedSettings[index].past?.cameras.firstIndex(where: {
                $0.device == device && $0.outcome == .deferred
            })
        else { return }
        committedSettings[index].past?.cameras[camera].outcome = .undone
    }

    /// What is known of the transactions that a node may name. Before it joined, it may have been a node of a coordinator with another
    /// state, and this coordinator may have had another one.
    func knownSettings(of node: NodeName) -> KnownSettings {
        let transactions = committedSettings.map { settings in
            let devices = (settings.open?.cameras ?? []) + (settings.past?.cameras.map(\.device) ?? [])
            let isForgotten = settings.open == nil && settings.past == nil
            let transaction: KnownSettings.Transaction =
                settings.state == .refused ? .refused : isForgotten ? .toldUnknown : .told(Set(devices))
            return (settings.id, transaction)
        }
        return KnownSettings(
            transactions: Dictionary(transactions, uniquingKeysWith: { first, _ in first }),
            completeSince: max(joinedMilliseconds(of: node) ?? .max, forgottenSettings))
    }

    // MARK: Answers

    /// Ends a transaction when its end is durable, so that no later run of the coordinator undoes what was answered.
    /// - Returns: Its report; if it is not durable within ``endPatience``, one in which no camera is set. Storing goes on.
    func conclude(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        transactions.conclude(report, storedBy: change)
        await endStored()
        return await answer(report, storedBy: change)
    }

    /// Waits for the end of a transaction to be durable, if the answer depends on that.
    /// - Returns: As ``conclude(_:storedBy:)``.
    func answer(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        await waitForLedger(until: clock.now() + Self.endPatience) { writes in
            let fate = writes.fate(of: change)
            return report.namesSetCameras ? fate == .stored : fate != .pending
        }
        guard let problem = ledgerProblem(of: change) else { return report }
        return report.unstored(because: problem)
    }

    /// Ends the transactions whose ends are durable.
    private func endStored() async {
        for report in transactions.end(storedThrough: ledgerWrites.stored) { await tellEnd(report) }
    }

    // MARK: Storing

    /// Stores what was changed; if that fails, again until it succeeds. Returns after the first attempt.
    func storeSettings() async {
        let change = changeLedger()
        await waitForLedger(until: clock.now() + Self.commitPatience) { $0.fate(of: change) != .pending }
    }

    /// Has the ledger written with a change of the transactions.
    private func changeLedger() -> UInt64 {
        let change = ledgerWrites.change()
        ledgerAlarm.ring()
        return change
    }

    /// Writes the ledger after each change, one write at a time, until the task is cancelled.
    func keepLedger() async {
        while true {
            switch ledgerWrites.next(at: clock.now()) {
            case .write(let change): await writeLedger(through: change)
            case .wait(let instant):
                guard !Task.isCancelled else { return }
                await ledgerAlarm.wait(until: instant)
            }
        }
    }

    private func writeLedger(through change: UInt64) async {
        var result: Result<Void, StorageError> = .success(())
        do throws(StorageError) {
            try await settingsLedger?.replace(with: committedSettings)
        } catch {
            result = .failure(error)
        }
        if ledgerWrites.wrote(through: change, result, at: clock.now()) {
            switch result {
            case .success: log.info("settings transactions can be stored again")
            case .failure(let error):
                log.error(
                    "settings transactions cannot be stored; it is tried again", metadata: ["reason": "\(error)"])
            }
        }
        await endStored()
        for alarm in ledgerWaiters.values { alarm.ring() }
    }

    private func waitForLedger(until deadline: LocalTime, _ isOver: (LedgerWrites) -> Bool) async {
        guard !isOver(ledgerWrites) else { return }
        let alarm = Alarm(clock: clock)
        lastLedgerWaiter += 1
        let number = lastLedgerWaiter
        ledgerWaiters[number] = alarm
        defer { ledgerWaiters[number] = nil }
        while !isOver(ledgerWrites), clock.now() < deadline, !Task.isCancelled { await alarm.wait(until: deadline) }
    }

    /// Why a change is not known to be durable; nil if it is.
    private func ledgerProblem(of change: UInt64) -> RigProblem? {
        switch ledgerWrites.fate(of: change) {
        case .stored: nil
        case .pending:
            RigProblem(
                .inputOutput, "the disk of the coordinator's state folder does not answer; look at it and its mounts")
        case .failed(let error):
            RigProblem(error.code == .noSpace ? .noSpace : .inputOutput, "\(error)")
        }
    }
}

extension SettingsReport {
    /// Whether a camera is told to have the settings.
    fileprivate var namesSetCameras: Bool { cameras.contains { $0.outcome.effect != nil } }

    /// The report while the end of the transaction is not durable.
    fileprivate func unstored(because problem: RigProblem) -> SettingsReport {
        var report = self
        for index in report.cameras.indices where report.cameras[index].outcome.effect != nil {
            report.cameras[index].outcome = .failed(
                RigProblem(
                    problem.code,
                    "\(report.cameras[index].device) has the settings, but the coordinator cannot store that, so that it may undo them if it is restarted before it can: \(problem.message). It tries again; ask for settings \(id) again later"
                ))
        }
        return report
    }
}

extension PastSettings {
    /// Notes the outcomes of cameras. One that is told to be refused, because T was missed, does not wait for its node.
    fileprivate mutating func note(_ reports: [CameraSettingsReport]) {
        let outcomes = Dictionary(reports.map { ($0.device, $0.outcome.word) }, uniquingKeysWith: { $1 })
        for index in cameras.indices {
            cameras[index].outcome = outcomes[cameras[index].device]
            if cameras[index].outcome != .deferred { cameras[index].awaitsNode = false }
        }
    }
}
