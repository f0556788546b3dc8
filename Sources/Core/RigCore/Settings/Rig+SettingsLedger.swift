import CaptureModel
import Logging
import StorageKit

/// What the coordinator keeps of settings transactions, for repeats, undo and its next runs.
extension Rig {
    /// Stores that cameras may have been told to set, before they are.
    /// - Throws: `inputOutput`, `noSpace`: then no camera is told.
    func noteCommitted(_ transaction: SettingsTransaction, by principal: Principal) async throws(CaptureProblem) {
        guard transaction.earlier == nil else { return }
        let open = CommittedSettings.Open(transaction.request, by: principal, cameras: transaction.devices)
        keep(
            CommittedSettings(
                id: transaction.request.id, rigClock: clockID, open: open,
                past: transaction.past(by: principal, at: realtimeNanoseconds)))
        guard let settingsLedger else { return }
        do {
            try await settingsLedger.replace(with: committedSettings)
        } catch {
            committedSettings.removeAll { $0.id == transaction.request.id }
            throw CaptureProblem(
                error.code == .noSpace ? .noSpace : .inputOutput,
                "the transaction cannot be stored, so nothing was set: \(error)")
        }
    }

    /// The present on the wall clock.
    var realtimeNanoseconds: Int64 { clock.wallClockPair().realtimeNanoseconds }

    private func keep(_ transaction: CommittedSettings) {
        committedSettings.append(transaction)
        if committedSettings.count > SettingsTransactions.keptLimit,
            let oldest = committedSettings.firstIndex(where: { $0.state == .refused })
                ?? committedSettings.firstIndex(where: { $0.state == .ended && !$0.awaitsNode })
        {
            committedSettings.remove(at: oldest)
        }
        // The newest transaction can be undone in any case.
        var room = SettingsTransactions.pastByteLimit - (transaction.past?.textByteCount ?? 0)
        for index in committedSettings.indices.dropLast().reversed() {
            room -= committedSettings[index].past?.textByteCount ?? 0
            if room < 0, !committedSettings[index].awaitsNode { committedSettings[index].past = nil }
        }
    }

    func noteEnded(
        _ transaction: SettingsTransaction, _ cameras: [CameraSettingsReport], by principal: Principal,
        at time: RigTime?
    ) async {
        guard transaction.earlier?.state ?? .committed == .committed else { return }
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
        if let undone = transaction.order.undoes { noteUndo(transaction, of: undone) }
        await storeSettings()
        // A node may have joined meanwhile.
        for node in Set(transaction.order.away.map(\.node)) { beginDelivery(to: node) }
    }

    /// Notes the cameras that no undo can give their earlier values, so that the next one goes on with the transaction before.
    private func noteUndo(_ transaction: SettingsTransaction, of id: SettingsID) {
        guard let index = committedSettings.firstIndex(where: { $0.id == id }), let past = committedSettings[index].past
        else { return }
        let refused = transaction.cameras.filter { camera in
            camera.outcome.word == .refused && camera.outcome.problem?.code == .unsupportedSettings
        }
        let over = transaction.order.started.union(refused.map(\.device))
        for camera in past.cameras.indices where over.contains(past.cameras[camera].device) {
            committedSettings[index].past?.cameras[camera].isUndoOver = true
        }
    }

    func storeSettings() async {
        do {
            try await settingsLedger?.replace(with: committedSettings)
        } catch {
            log.error("the end of a settings transaction cannot be stored", metadata: ["reason": "\(error)"])
        }
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
