import CaptureModel
import StorageKit

extension [CommittedSettings] {
    /// Limit on the kept transactions of runs, beyond ``SettingsTransactions/keptLimit`` runs and transactions of none.
    static let runLimit = 512

    /// Adds a transaction, and forgets the oldest where there are too many. The transactions of a run count as one, so that a run of many cameras
    /// can be undone; those that a later one of the run covers are forgotten first.
    /// - Returns: The forgotten ones.
    mutating func keep(_ transaction: CommittedSettings) -> [SettingsID] {
        append(transaction)
        var forgotten: [SettingsID] = []
        while count > SettingsTransactions.keptLimit, let index = dispensable {
            forgotten.append(remove(at: index).id)
        }
        // The newest transaction can be undone in any case.
        var room = SettingsTransactions.pastByteLimit - (transaction.past?.textByteCount ?? 0)
        for index in indices.dropLast().reversed() {
            room -= self[index].past?.textByteCount ?? 0
            if room < 0, !self[index].awaitsNode { self[index].past = nil }
        }
        return forgotten
    }

    /// The transaction to be forgotten next; nil if there is none.
    private var dispensable: Int? {
        if let refused = firstIndex(where: { $0.state == .refused }) { return refused }
        let history = SettingsHistory(compactMap(\.past))
        let covered = firstIndex { $0.isOver && $0.past.map(history.isCovered) == true }
        if let covered { return covered }
        let units = Set(map { $0.past?.run?.uuid ?? $0.id.uuid })
        guard units.count > SettingsTransactions.keptLimit || count > Self.runLimit else { return nil }
        return firstIndex(where: \.isOver)
    }
}

extension CommittedSettings {
    fileprivate var isOver: Bool { state == .ended && !awaitsNode }
}
