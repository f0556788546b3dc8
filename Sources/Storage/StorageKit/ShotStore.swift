public import CaptureModel

/// Stores the manifests of shots.
///
/// One process at a time writes a store; others read beside it. Every change is one document that appears as a whole or not at all, also
/// after a crash or a power cut.
public protocol ShotStore: ShotReading {
    /// Stores the first manifest of a shot.
    ///
    /// Durable on return. Repeating it with the same manifest is harmless, so a lost answer is retried.
    /// - Throws: `conflict` where another manifest of the shot is stored; `noSpace`, `inputOutput`: whether it is stored is
    ///   then not known.
    func create(_ shot: Shot) async throws(StorageError)

    /// Stores the next manifest of a shot in place of revision `revision`.
    ///
    /// Durable on return. Repeating it with the same manifest is harmless. After a failure the store holds either of both.
    /// - Parameter shot: Of a higher revision: n + 1, or more where writing n + 1 failed.
    /// - Throws: `conflict` where another revision is stored, naming it; `notFound` where there is none; `invalidRequest`
    ///   where the revision does not rise; `noSpace`, `inputOutput`.
    func replace(_ revision: Int, with shot: Shot) async throws(StorageError)

    /// Removes what crashes have left of shots whose first manifest was never stored. Called before the first shot is written.
    func removeUnbegun(_ ids: [ShotID]) async

    /// Whether what is stored lies where users are told that it does.
    /// - Throws: `inputOutput`, saying what was moved, replaced or cannot be reached. What is written meanwhile does not count as
    ///   durable.
    func check() async throws(StorageError)

    /// Bytes that may still be stored; nil where the store does not tell.
    func freeBytes() async -> Int64?
}

/// Reads manifests and annotations. Documents appear whole or not at all; a reader needs no lock.
public protocol ShotReading: Sendable {
    /// Where users find the store, such as a folder or a bucket.
    nonisolated var location: String { get }

    /// Where users find a shot, relative to ``location``.
    nonisolated func location(of shot: Shot) -> String

    /// The shot with this id; nil where its first manifest is not stored.
    /// - Throws: `corrupted` where the manifest is damaged; `inputOutput`.
    func shot(_ id: ShotID) async throws(StorageError) -> Shot?

    /// Title and note of a shot; empty where nobody wrote them.
    /// - Throws: `corrupted` where the document is damaged; `inputOutput`.
    func annotation(of id: ShotID) async throws(StorageError) -> ShotAnnotation

    /// The days that have shots, newest first, a page at a time.
    /// - Parameters:
    ///   - before: The last day of the page before.
    ///   - limit: At most so many; fewer say that there are no more.
    func days(before: String?, limit: Int) async throws(StorageError) -> [ShotDay]

    /// The shots of a day in order of id, with the revisions of their documents, a page at a time. Reads no document. A day
    /// without shots has none.
    func list(_ day: String, after: ShotID?, limit: Int) async throws(StorageError) -> [ShotEntry]

    /// The day of a shot; nil where the store has nothing of it. A shot whose manifest cannot be read has a day.
    func day(of id: ShotID) async throws(StorageError) -> String?

    /// The revisions of one shot's documents; nil where the day has no such shot.
    func stamp(of id: ShotID, day: String) async throws(StorageError) -> ShotStamp?

    /// All documents of a shot; nil where the day has no such shot.
    ///
    /// The stamp is taken before the documents are read: where one is replaced meanwhile, the stamp is that of the document before.
    func record(of id: ShotID, day: String) async throws(StorageError) -> ShotRecord?
}

/// Stores what people write about shots. Any number of programs may, also beside the one that writes the manifests.
public protocol AnnotationStore: ShotReading {
    /// Stores an annotation in place of `old`; an empty one removes the document. Durable on return. Repeating it is harmless.
    /// - Throws: `conflict` where something else than `old` and `new` is stored, or another program writes at this moment; `corrupted` where
    ///   what is stored cannot be read; `notFound` where the store has no such shot; `noSpace`, `inputOutput`.
    func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) async throws(StorageError)
}

extension AnnotationStore {
    /// How often an edit is tried while other programs write.
    private static var attemptLimit: Int { 4 }

    /// Changes title, note or both, and returns once they are durable.
    /// - Returns: What is written about the shot thereafter.
    /// - Throws: `invalidRequest` where a text is too long; otherwise as ``replace(_:with:of:)``.
    public func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws(StorageError) -> ShotAnnotation {
        var attempt = 1
        while true {
            let old = try await annotation(of: id)
            let new = edit.applied(to: old)
            if let problem = new.problem { throw StorageError(.invalidRequest, "annotate", id, problem) }
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
