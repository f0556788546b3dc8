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

    /// Deletes a settled shot with everything that is stored with it, and keeps the record.
    ///
    /// Durable on return: the shot is never listed or read again, its id cannot be created again, and ``ShotReading/deletion(of:)`` returns
    /// the record. Repeating it is harmless and keeps the first record. After a failure or a crash the shot is complete, or gone for readers
    /// and known as deleted; ``finishDeletions()`` of the next process then removes what is left.
    /// - Throws: `notFound` if there is no such shot; `inputOutput`, `noSpace`.
    func delete(_ deletion: ShotDeletion) async throws(StorageError)

    /// Finishes the deletions that an earlier process has begun. Called before the first shot is read or written.
    /// - Returns: Those that are finished, and why others are not.
    func finishDeletions() async -> [ShotID: Result<ShotDeletion, StorageError>]

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
