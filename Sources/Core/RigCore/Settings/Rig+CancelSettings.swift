import CaptureModel
import StorageKit

/// Settings transactions that somebody ends before their T.
extension Rig {
    /// Ends a transaction before its T. After T nothing is cancelled.
    /// - Returns: The report of the transaction, when it has ended.
    /// - Throws: `held`; `conflict` if it is not known.
    func cancelSettings(_ id: SettingsID, by principal: Principal) async throws(RigProblem) -> SettingsReport {
        try hold.requireNotHeld(against: principal)
        switch transactions[id] {
        case nil:
            throw RigProblem(
                .conflict,
                "settings \(id) are not in progress and not among the newest that have ended; \(Self.whereKept(committedSettings.count { $0.past != nil }))"
            )
        case .ended(let report): return report
        case .concluded(let report, let change):
            try transactions.join(id)
            defer { transactions.leave(id) }
            return await ledger.answer(report, storedBy: change)
        case .underWay(let report):
            try transactions.join(id)
            defer { transactions.leave(id) }
            beginCancelling(id, by: principal)
            return await report.value
        }
    }

    private func beginCancelling(_ id: SettingsID, by principal: Principal) {
        let isCancelled = transactions.cancel(id, by: principal, at: now, isStored: ledger[id] != nil) { cameras in
            // Unstructured, because the transaction waits for it. One for each transaction.
            Task { await undo(cameras, of: id) }
        }
        guard isCancelled else { return }
        // Cameras whose nodes are away.
        for camera in ledger[id]?.past?.waiting.map(\.device) ?? [] {
            _ = ledger.dropWaiting(camera, of: id)
        }
    }

    /// Has cameras drop settings that wait for T. A camera that has begun to set them puts its values back.
    private func undo(_ cameras: [DeviceID], of id: SettingsID) async -> [DeviceID: Result<Void, RigProblem>] {
        await withTaskGroup(of: (DeviceID, Result<Void, RigProblem>).self) { group in
            for camera in cameras {
                let request = DeviceRequest(
                    device: camera, timeout: patience(with: camera), command: .settings(id, .undo))
                group.addTask { (camera, await self.outcome(of: request).map { _ in }) }
            }
            var answers: [DeviceID: Result<Void, RigProblem>] = [:]
            for await (camera, answer) in group { answers[camera] = answer }
            return answers
        }
    }
}
