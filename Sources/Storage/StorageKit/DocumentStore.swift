/// Stores one document of a rig, such as its roster or the hold, so that it outlasts a restart of the coordinator.
public protocol DocumentStore<Content>: Sendable {
    associatedtype Content: Sendable

    /// Returns the content that was stored last; nil if none was ever stored.
    /// - Throws: `corrupted` if what is stored cannot be read as such a document; `inputOutput`.
    func read() async throws(StorageError) -> Content?

    /// Replaces the stored content. Durable on return, and atomic.
    /// - Throws: `noSpace`, `inputOutput`: either the previous content or this one is stored.
    func replace(with content: Content) async throws(StorageError)
}
