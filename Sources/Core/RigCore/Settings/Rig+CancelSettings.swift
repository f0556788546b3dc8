import CaptureModel
import StorageKit

/// Settings transactions that somebody ends before their T.
extension Rig {
    /// Ends a transaction before its T. After T nothing is cancelled.
    /// - Returns: The report of the transaction, when it has ended.
    /// - Throws: `held`; `conflict` if it is not known.
    func cancelSettings(_ id: SettingsID, by principal: Principal) async throws(RigProblem) -> SettingsReport {
        try requireNotHeld(against: principal)
        switch transactions[id] {
        case nil:
            throw RigProblem(
                .conflict,
                "settings \(id) are not in progress and not among the newest that have ended; \(Self.whereKept(committedSettings.count { $0.past != nil }))"
            )
        case .ended(let report): return report
        case .concluded(let report, let change):
            try join(id)
            defer { leave(id) }
            return await answer(report, storedBy: change)
        case .underWay(let report):
            try join(id)
            defer { leave(id) }
            beginCancelling(id, by: principal)
            return await report.value
        }
    }

    private func beginCancelling(_ id: SettingsID, by principal: Principal) {
        let isStored = committedSettings.contains { $0.id == id }
        guard let cameras = cancellations.camerasToTell(of: id, at: now, isStored: isStored) else { return }
        // Unstructured, because the transaction waits for it. One for each transaction.
        cancel(id, by: principal, Task { await undo(cameras, of: id) })
        // Cameras whose nodes are away.
        for camera in committedSettings.first(where: { $0.id == id })?.past?.waiting.map(\.device) ?? [] {
            _ = dropWaiting(camera, of: id)
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

    /// - Throws: `cancelled` if somebody has cancelled the transaction.
    func requireNotCancelled(_ id: SettingsID) throws(RigProblem) {
        if let problem = cancellations.problem(of: id) { throw problem }
    }
}
