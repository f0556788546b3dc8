public import CaptureModel

/// Stores the manifests of shots.
///
/// One process at a time writes a store; other processes may read it at the same time. Every change is one document that appears complete or not
/// at all, even after a crash or a power cut.
public protocol ShotStore: ShotReading {
    /// Stores the first manifest of a shot.
    ///
    /// Durable on return. Repeating it with the same manifest is harmless, so callers retry if an answer is lost.
    /// - Throws: `conflict` if another manifest of the shot is stored; `noSpace`, `inputOutput`: it is then unknown whether the manifest is
    ///   stored.
    func create(_ shot: Shot) async throws(StorageError)

    /// Replaces revision `revision` of a shot's manifest with the next one.
    ///
    /// Durable on return. Repeating it with the same manifest is harmless. After a failure the store holds one of the two.
    /// - Parameter shot: A higher revision: n + 1, or more if writing n + 1 failed.
    /// - Throws: `conflict` if another revision is stored, which the error names; `notFound` if there is none; `invalidRequest` if the
    ///   revision does not increase; `noSpace`, `inputOutput`.
    func replace(_ revision: Int, with shot: Shot) async throws(StorageError)

    /// Removes the remains of shots whose first manifest was never stored because of a crash. Called before the first shot is written.
    func removeUnbegun(_ ids: [ShotID]) async

    /// Checks that the stored data is at the location that users know.
    /// - Throws: `inputOutput`, with what was moved, replaced or cannot be reached. Writes during this state do not count as durable.
    func check() async throws(StorageError)

    /// Checks that another shot can be begun, as far as that is known without its size.
    /// - Throws: `noSpace`, `inputOutput`, with what keeps the store from accepting it.
    func checkRoom() async throws(StorageError)

    /// Returns the bytes that may still be stored; nil if the store does not provide it.
    func freeBytes() async -> Int64?

    /// Returns what the store lost and put right by itself lately, as a sentence; nil if there is nothing to say.
    func mishap() async -> String?
}

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

/// Reads manifests and annotations, and lists them.
public protocol ShotReading: ShotLookup {
    /// Returns where users find a shot, relative to ``ShotLookup/location``.
    nonisolated func location(of shot: Shot) -> String

    /// Returns the days that have shots, newest first, one page at a time.
    /// - Parameters:
    ///   - before: The last day of the previous page; nil for the first page.
    ///   - limit: The most days to return. Fewer mean that there are no more.
    func days(before: String?, limit: Int) async throws(StorageError) -> [ShotDay]

    /// Returns the shots of a day in order of id, with the revisions of their documents, one page at a time. Reads no document. Empty for a
    /// day without shots.
    func list(_ day: String, after: ShotID?, limit: Int) async throws(StorageError) -> [ShotEntry]

    /// Returns the day of a shot; nil if the store has nothing of it. A shot whose manifest cannot be read has a day.
    func day(of id: ShotID) async throws(StorageError) -> String?

    /// Returns the revisions of one shot's documents; nil if the day has no such shot.
    func stamp(of id: ShotID, day: String) async throws(StorageError) -> ShotStamp?

    /// Returns all documents of a shot; nil if the day has no such shot.
    ///
    /// The stamp is read before the documents. If a document is replaced in between, the stamp is that of its predecessor.
    func record(of id: ShotID, day: String) async throws(StorageError) -> ShotRecord?
}

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
