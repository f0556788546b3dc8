public import CaptureModel

/// Finds the documents of shots by id. A document appears complete or not at all, so readers need no lock.
public protocol ShotLookup: Sendable {
    /// Where users find the store, such as a folder or a bucket.
    nonisolated var location: String { get }

    /// Returns the shot with this id; nil if its first manifest is not stored.
    /// - Throws: `corrupted` if the manifest is damaged; `inputOutput`.
    func shot(_ id: ShotID) async throws(StorageError) -> Shot?

    /// Returns the stored manifest of a shot byte for byte, unchecked; nil if its first manifest is not stored.
    /// - Throws: `inputOutput`.
    func manifestBytes(of id: ShotID) async throws(StorageError) -> [UInt8]?

    /// Returns title and note of a shot; empty if none were written.
    /// - Throws: `corrupted` if the document is damaged; `inputOutput`.
    func annotation(of id: ShotID) async throws(StorageError) -> ShotAnnotation
}
