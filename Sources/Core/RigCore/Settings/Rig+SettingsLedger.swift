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
        keep(transaction, by: principal)
        do throws(RigProblem) {
            try await requireStored("the transaction")
        } catch {
            // The disk may have it all the same, until its end is stored.
            removeFromLedger(transaction.request.id)
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

    // MARK: Answers

    /// Ends a transaction when its end is durable, so that no later run of the coordinator undoes what was answered.
    /// - Returns: Its report; if it is not durable within ``endPatience``, one in which no camera is set. Storing goes on.
    func conclude(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        await noteConcluded(report, storedBy: change)
        return await answer(report, storedBy: change)
    }

    /// Waits for the end of a transaction to be durable, if the answer depends on that.
    /// - Returns: As ``conclude(_:storedBy:)``.
    func answer(_ report: SettingsReport, storedBy change: UInt64) async -> SettingsReport {
        await waitForLedger(until: clock.now() + Self.endPatience) { ledger in
            let fate = ledger.fate(of: change)
            return report.namesSetCameras ? fate == .stored : fate != .pending
        }
        guard let problem = ledgerProblem(of: change) else { return report }
        return report.unstored(because: problem)
    }

    // MARK: Storing

    /// Stores what was changed; if that fails, again until it succeeds. Returns after the first attempt.
    func storeSettings() async {
        let change = changeLedger()
        await waitForLedger(until: clock.now() + Self.commitPatience) { $0.fate(of: change) != .pending }
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
