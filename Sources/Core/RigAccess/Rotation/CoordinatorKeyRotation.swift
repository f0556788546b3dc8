public import RigSecurity

/// The replacement of the coordinator's own key: who has connected with the new one.
///
/// | state | usual ports | second ports | ends |
/// |---|---|---|---|
/// | the old key is served | the new key | the old key | when every holder has connected with the new key, or an admin ends it |
/// | the old key is compromised | the new key | – | the same. Holders that were away need a visit |
public struct CoordinatorKeyRotation: Hashable, Sendable {
    public let new: PublicKey
    public let old: PublicKey
    /// Whether the coordinator still listens with the old key.
    public let isOldServed: Bool
    private var confirmed: Set<PublicKey> = []

    public init(from old: PublicKey, to new: PublicKey, isOldServed: Bool) {
        self.old = old
        self.new = new
        self.isOldServed = isOldServed
    }

    /// Notes that the holder of a key has connected.
    /// - Parameter server: The coordinator's key that it knows.
    public mutating func connected(_ key: PublicKey, knowing server: PublicKey) {
        if server == new { confirmed.insert(key) }
    }

    /// Returns the holders that have not connected with the new key yet, in order of name.
    /// - Parameter local: The key of the coordinator's own machine, which reads the new key from a file.
    public func unconfirmed(in snapshot: AccessSnapshot, except local: PublicKey) -> [KeyHolder] {
        snapshot.holders(admittedTo: .join).filter { !confirmed.contains($0.key) && $0.key != local }
    }
}
