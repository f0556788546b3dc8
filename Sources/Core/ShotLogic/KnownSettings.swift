public import CaptureModel

/// What the coordinator knows of settings transactions when it checks which one a frame claims.
public struct KnownSettings: Hashable, Sendable {
    /// What is known of one transaction.
    public enum Transaction: Hashable, Sendable {
        /// No camera was told to set.
        case refused
        /// These cameras were, or were about to be.
        case told(Set<DeviceID>)
        /// Cameras were, and the coordinator has forgotten which.
        case toldUnknown
    }

    public var transactions: [SettingsID: Transaction]
    /// Every transaction that was made after this is in `transactions`, on the wall clock, milliseconds since 1970. An older one may have
    /// been forgotten, or be of a coordinator with another state.
    public var completeSince: Int64

    public init(transactions: [SettingsID: Transaction] = [:], completeSince: Int64 = .max) {
        self.transactions = transactions
        self.completeSince = completeSince
    }

    /// Compares the claim that a camera had the settings of a transaction.
    func doubt(_ revision: SettingsID, of device: DeviceID) -> DoubtedClaim? {
        switch transactions[revision] {
        case .told(let devices) where devices.contains(device): nil
        case .told:
            DoubtedClaim(
                .settings, .wrong, "its settings are those of transaction \(revision), which did not set this camera")
        case .refused:
            DoubtedClaim(.settings, .wrong, "its settings are those of transaction \(revision), which set no camera")
        case .toldUnknown:
            DoubtedClaim(
                .settings, .unverified,
                "the coordinator has forgotten which cameras settings transaction \(revision) has set")
        case nil where revision.unixMilliseconds > completeSince:
            DoubtedClaim(
                .settings, .wrong, "its settings are those of transaction \(revision), which does not exist")
        case nil:
            DoubtedClaim(
                .settings, .unverified,
                "the coordinator does not know settings transaction \(revision), which is older than what it remembers")
        }
    }
}
