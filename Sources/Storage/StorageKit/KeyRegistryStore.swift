public import CaptureModel

/// Stores the document of a rig's keys. The document is bytes here: `RigAccess` defines its content.
public protocol KeyRegistryStore: Sendable {
    /// Returns the document that was stored last; nil if none was ever stored.
    /// - Throws: `corrupted` if what is stored may have been written by somebody else, or is too long; `inputOutput`.
    func document() async throws(StorageError) -> [UInt8]?

    /// Replaces the stored document. Durable on return, and atomic.
    /// - Throws: `noSpace`, `inputOutput`: either the previous document or this one is stored.
    func replace(with document: [UInt8]) async throws(StorageError)
}
