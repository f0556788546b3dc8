import CaptureModel
internal import StorageKit

/// One promise of the protocols `ShotStore`, `AnnotationStore` and `AssetStore`.
public enum StoreCheck: String, CaseIterable, Sendable, CustomStringConvertible {
    // Manifests.
    case createdManifest, manifestAsWritten, repeatedCreate, racingCreates, replacement, repeatedReplace, staleReplace,
        risingRevisions
    case pagedListing, stamps, openShots
    // Deletions.
    case deleted, deletedOnce, deletedWithoutAShot
    // Annotations.
    case annotations, racingAnnotations, conditionalEdits
    // Assets.
    case upload, emptyAsset, manyPieces, misplacedBytes, durableBytes, incompleteCommit, wrongDigest, suspended
    case interrupted, committedBefore, otherContent, unknownShot, forgotten, abandonedUploads, severalAtOnce
    case removed, listedAssets, verification

    /// The promise.
    public var description: String {
        switch self {
        case .createdManifest: "a first manifest is read as it was stored, also by the next process"
        case .manifestAsWritten: "a manifest is given out byte for byte as it was written"
        case .repeatedCreate: "creating a manifest again is harmless, creating another one changes nothing"
        case .racingCreates: "of several first manifests exactly one is stored"
        case .replacement: "a manifest is replaced by the next revision, also by the next process"
        case .repeatedReplace: "replacing a manifest again is harmless"
        case .staleReplace: "a manifest of another revision than the caller knows is not replaced"
        case .risingRevisions: "a revision is not replaced by itself or an earlier one"
        case .pagedListing: "every shot is listed once, by day and id, whatever the size of a page"
        case .stamps: "a stamp changes with its own document and with no other"
        case .openShots: "shots without a result are found, oldest first"
        case .deleted: "a deleted shot is gone with its files and texts, and known as deleted, also by the next process"
        case .deletedOnce: "of deletions of one shot the first is kept, and its id is not used again"
        case .deletedWithoutAShot: "what the store does not have is not deleted"
        case .annotations: "what people write is kept, changed and removed, whatever becomes of the manifest"
        case .conditionalEdits: "of edits at once that expect the same annotation, one is made"
        case .racingAnnotations: "an annotation that somebody else has changed is not overwritten"
        case .upload: "an asset is read in ranges after its commit, and not before"
        case .emptyAsset: "an asset without bytes is stored"
        case .manyPieces: "an asset of many pieces is stored, whatever their size"
        case .misplacedBytes: "bytes that belong elsewhere are refused and change nothing"
        case .durableBytes: "the durable bytes never decrease, and are never more than were appended"
        case .incompleteCommit: "an asset without all its bytes is not committed, and its upload goes on"
        case .wrongDigest: "bytes that are not those announced are never read, and the upload begins again"
        case .suspended: "an upload that pauses goes on where it was"
        case .interrupted: "an upload that its process did not commit is begun again by the next one"
        case .committedBefore: "an asset that is stored already is not sent again, also by the next process"
        case .otherContent: "a stored asset is not replaced by another one"
        case .unknownShot: "an asset of a shot that the store does not have is refused"
        case .forgotten: "a forgotten upload begins again, and a stored asset is not forgotten"
        case .abandonedUploads: "uploads nobody continues are removed, and those that are under way are kept"
        case .severalAtOnce: "each of several assets that are committed at once has its own outcome"
        case .removed: "a removed asset is gone, and can be stored again"
        case .listedAssets: "every asset of a shot is listed once, and nothing of another shot"
        case .verification: "what was altered in a manifest's eyes, and what no manifest names, is found"
        }
    }
}

/// A promise that a store broke.
public struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public var check: StoreCheck
    /// What was seen.
    public var finding: String

    public var description: String { "not kept: \(check): \(finding)" }
}

/// What a check saw that it must not see.
struct Finding: Error {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Throws the finding unless the condition holds.
func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(finding()) }
}

/// Throws a finding unless the work fails with this code.
func requireFailure(
    _ code: StorageError.Code, _ what: String, _ work: () async throws -> Void
) async throws {
    do {
        try await work()
    } catch let error as StorageError {
        return try require(error.code == code, "\(what) failed as \(error.code), not as \(code): \(error)")
    }
    throw Finding("\(what) did not fail")
}
