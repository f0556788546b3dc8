internal import CaptureModel
internal import RigClient

/// A settings transaction as a person names it.
typealias SettingsReference = IDReference<SettingsID>

extension SettingsReference {
    /// Reads a reference on the command line.
    static func argument(_ text: String) throws -> SettingsReference { try argument(text, of: "settings") }
}

extension RigClient {
    /// Returns the transaction or run that is meant; asks nothing if a whole id names it.
    func id(of reference: SettingsReference) async throws -> SettingsID {
        if let whole = reference.whole { return whole }
        let past = try await settingsHistory()
        // A run has an id, too, and `last` is a transaction.
        let runs = reference == .last ? [] : past.compactMap { $0.run.map { SettingsID($0.uuid) } }
        return try reference.resolved(among: past.map(\.id) + runs, .settings)
    }
}
