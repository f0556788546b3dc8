public import CaptureModel

/// Stores the hold of a rig, so that it outlasts a restart of the coordinator.
public protocol HoldStore: Sendable {
    /// Returns the hold that was stored last; nil if none was, or nobody held the rig.
    /// - Throws: `corrupted` if the stored data cannot be read as a hold; `inputOutput`.
    func hold() async throws(StorageError) -> StoredHold?

    /// Replaces the stored hold. Durable on return, and atomic.
    /// - Parameter hold: nil if nobody holds the rig.
    /// - Throws: `noSpace`, `inputOutput`: either the previous hold or this one is stored.
    func replace(with hold: StoredHold?) async throws(StorageError)
}

/// A hold with the time line on which its instants are counted.
public struct StoredHold: Hashable, Sendable {
    public var hold: RigHold
    public var rigClock: RigClockID

    public init(_ hold: RigHold, rigClock: RigClockID) {
        self.hold = hold
        self.rigClock = rigClock
    }
}
