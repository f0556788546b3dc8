public import CaptureModel

/// Stores titles and notes of shots. Any number of programs may write them, also while another one writes the manifests.
public protocol AnnotationStore: ShotReading {
    /// Replaces the annotation `old`. An empty new one removes the document. Durable on return. Repeating it is harmless.
    /// - Throws: `conflict` if neither `old` nor `new` is stored, or another program writes at this moment; `corrupted` if the stored
    ///   annotation cannot be read; `notFound` if the store has no such shot; `noSpace`, `inputOutput`.
    func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) async throws(StorageError)
}

extension AnnotationStore {
    /// The most attempts of an edit while other programs write.
    private static var attemptLimit: Int { 4 }

    /// Changes title, note or both, and returns once the change is durable.
    /// - Parameter isExpected: Whether the stored annotation is one that the requester knows. That annotation is replaced, and none that
    ///   another writer has stored since. nil: any may be.
    /// - Returns: The resulting annotation.
    /// - Throws: `invalidRequest` if a text is too long; `preconditionFailed` if the annotation is not expected; otherwise as
    ///   ``replace(_:with:of:)``.
    public func edit(
        _ id: ShotID, _ edit: ShotAnnotationEdit,
        if isExpected: (@Sendable (ShotAnnotation) async throws(StorageError) -> Bool)? = nil
    ) async throws(StorageError) -> ShotAnnotation {
        var attempt = 1
        while true {
            let old = try await annotation(of: id)
            if let isExpected, try await !isExpected(old) {
                throw StorageError(
                    .preconditionFailed, "annotate", id,
                    "shot \(id) has changed since it was read, so it was not edited; read it again, and edit what it is then"
                )
            }
            let new = edit.applied(to: old)
            if let problem = new.title == old.title ? new.storedProblem : new.problem {
                throw StorageError(.invalidRequest, "annotate", id, problem)
            }
            do throws(StorageError) {
                try await replace(old, with: new, of: id)
                return new
            } catch {
                guard error.code == .conflict, attempt < Self.attemptLimit else { throw error }
            }
            attempt += 1
        }
    }
}
