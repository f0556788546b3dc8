public import CaptureModel

/// Shots and takes that were deleted, and those that were not: `capctl shots delete` and `capctl takes delete`.
public struct DeletionDocument: Encodable, Sendable {
    var deleted: [DeletedShotDocument]
    var kept: [Kept]

    /// A shot that was not deleted.
    public struct Kept: Encodable, Sendable {
        public var reason: String
        public var shot: ShotID
        /// What its deletion would remove; absent unless it is kept because no other copy of it is known.
        public var wouldDelete: [StoredFileDocument]?

        public init(_ shot: ShotID, reason: String, wouldDelete: [StoredFileDocument]? = nil) {
            self.reason = reason
            self.shot = shot
            self.wouldDelete = wouldDelete
        }
    }

    public init(_ deleted: [ShotDeletion], kept: [Kept]) {
        self.deleted = deleted.map(DeletedShotDocument.init)
        self.kept = kept
    }
}

/// A file of a shot that the library has, as the manifest says.
public struct StoredFileDocument: Encodable, Hashable, Sendable {
    var byteCount: Integer64
    var device: DeviceID
    /// Its path in the shot's folder.
    public let file: String

    /// What the deletion of a shot removes, in the order of its manifest.
    public static func all(of shot: Shot) -> [StoredFileDocument] {
        shot.captures.flatMap { capture in
            capture.files.filter(\.isStored).compactMap { StoredFileDocument($0, of: capture.device.id) }
        }
    }

    private init?(_ file: CapturedFile, of device: DeviceID) {
        guard let path = file.path else { return nil }
        byteCount = Integer64(file.byteCount ?? 0)
        self.device = device
        self.file = path
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
