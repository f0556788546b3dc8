public import CaptureModel

/// Shots and takes that were deleted, and those that were not: `capctl shots delete` and `capctl takes delete`.
public struct DeletionDocument: Encodable, Sendable {
    var deleted: [DeletedShotDocument]
    var kept: [Kept]

    /// A shot that was not deleted.
    struct Kept: Encodable {
        var reason: String
        var shot: ShotID
    }

    public init(_ deleted: [ShotDeletion], kept: [(shot: ShotID, reason: String)]) {
        self.deleted = deleted.map(DeletedShotDocument.init)
        self.kept = kept.map { Kept(reason: $0.reason, shot: $0.shot) }
    }
}

/// A shot or take that was deleted.
public struct DeletedShotDocument: Encodable, Sendable {
    var by: String
    var byteCount: Integer64
    var deletedAt: String
    /// The stored files that its manifest named.
    var files: Int
    /// Whether no other copy was known.
    var onlyCopy: Bool
    var reason: ShotDeletion.Reason
    var shot: ShotID

    public init(_ deletion: ShotDeletion) {
        by = deletion.by
        byteCount = Integer64(deletion.byteCount)
        deletedAt = RFC3339.text(realtimeNanoseconds: deletion.realtimeNanoseconds)
        files = deletion.files
        onlyCopy = deletion.wasOnlyCopy
        reason = deletion.reason
        shot = deletion.shot
    }
}
