public import CaptureModel

/// Stores the files of shots: uploads in pieces, and ranges of what is stored.
///
/// A ``FileKey`` names an asset. Its content is immutable and is named by its digest. An upload has these states. Each key has one caller,
/// which makes one call at a time:
///
/// | state | `begin` | `append` | `commit` | `suspend` | `forget` | a crash of the store's process |
/// |---|---|---|---|---|---|---|
/// | none | begun, answers `resume(at: 0)` | `invalidRequest` | `invalidRequest` | – | – | none |
/// | begun, n bytes durable of m received | same content: unchanged, answers `resume(at: m)`, or n after a failure; other content: begun again at 0 | m grows; answers n | all bytes received: committed; else `invalidRequest` | begun, resources released | none | none: the store may forget what is not committed |
/// | committed | same content: answers `committed`; other content: `conflict` | `invalidRequest` | committed, if `begin` has answered `committed` | – | committed | committed |
///
/// The store computes the digest as bytes arrive. It never reads uncommitted bytes again.
///
/// Calls for different keys may run concurrently. If the store can avoid it, a slow asset of one node does not delay another node's.
public protocol AssetStore: AssetReading {
    /// Begins or resumes an upload.
    ///
    /// Not durable by itself. Repeating it is harmless.
    /// - Returns: The offset at which to append, or that everything is stored, possibly by an earlier process; ``commit(_:)`` then returns
    ///   where.
    /// - Throws: `conflict` if the key is committed with other content; `notFound` if the store has no shot of this key; `noSpace`;
    ///   `inputOutput`; `invalidRequest` for a negative size.
    /// - Complexity: If another process committed the key, its bytes are read for comparison.
    func begin(_ key: FileKey, _ content: AssetContent) async throws(StorageError) -> UploadStart

    /// Appends bytes to an upload.
    /// - Parameter offset: The number of bytes received so far, which is the position of these bytes.
    /// - Returns: How many bytes from the beginning are durable; the others may be lost with the store's process. Never more than were
    ///   appended, and never fewer than the previous call returned.
    /// - Throws: `invalidRequest` if the offset is wrong or the bytes are too many. After `noSpace` and `inputOutput`, ``begin(_:_:)``
    ///   returns where to continue.
    @discardableResult
    func append(_ bytes: any AssetBytes, to key: FileKey, at offset: Int64) async throws(StorageError) -> Int64

    /// Compares the digests of complete uploads with those announced to ``begin(_:_:)``, and stores the assets.
    ///
    /// On return a success is durable and readable under its key. After a failure or a crash an asset is committed completely or not at
    /// all, and ``begin(_:_:)`` returns which.
    /// - Returns: For each key where users find the asset, or an error: `corrupted` if the bytes are not those announced, and the upload
    ///   must begin again; `invalidRequest` if bytes are missing; `noSpace`; `inputOutput`.
    /// - Complexity: Committing several keys at once may cost little more than committing one.
    func commit(_ keys: [FileKey]) async -> [FileKey: Result<AssetLocation, StorageError>]

    /// Releases memory and descriptors of a paused upload. ``begin(_:_:)`` resumes it.
    func suspend(_ key: FileKey) async

    /// Removes the received bytes of an uncommitted asset. If they cannot be removed, they are removed later.
    func forget(_ key: FileKey) async

    /// Removes the uploads of a shot, including those of earlier processes, except those in `kept` and those that are begun and not
    /// suspended.
    func forgetUploads(of shot: ShotID, except kept: Set<FileKey>) async

    /// Removes the uploads of all shots except these.
    func forgetUploads(exceptOf shots: Set<ShotID>) async

    /// Removes a committed asset. It is not an error if the asset does not exist. Durable on return.
    func remove(_ key: FileKey) async throws(StorageError)
}

/// The part of a store to list.
public enum AssetScope: Hashable, Sendable {
    /// Everything stored with a shot except its documents, relative to the shot's location.
    case shot(ShotID)
    /// Assets that arrived with other bytes than announced and were kept for inspection, relative to the store's location.
    case setAside
    /// Entries that belong to no shot, relative to the store's location.
    case strays
}

/// The content of an asset.
public struct AssetContent: Hashable, Sendable {
    public var byteCount: Int64
    public var digest: ContentDigest

    public init(byteCount: Int64, digest: ContentDigest) {
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// How to continue an upload.
public enum UploadStart: Hashable, Sendable {
    /// Append at this offset; it is the asset's size if all bytes were received before.
    case resume(at: Int64)
    /// The asset is stored.
    case committed
}

/// Where a user finds something, in the store's own terms: part of a path or of an object's key. Programs pass it on and do not interpret
/// it.
public struct AssetLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }

    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension AssetStore {
    /// Appends bytes of an array; see ``append(_:to:at:)-(any AssetBytes,_,_)``.
    @discardableResult
    public func append(_ bytes: [UInt8], to key: FileKey, at offset: Int64) async throws(StorageError) -> Int64 {
        try await append(bytes as any AssetBytes, to: key, at: offset)
    }

    /// Commits one asset; see ``commit(_:)-([FileKey])``.
    public func commit(_ key: FileKey) async throws(StorageError) -> AssetLocation {
        guard let outcome = await commit([key])[key] else {
            throw StorageError(.inputOutput, "commit", key, "\(key) was not committed")
        }
        return try outcome.get()
    }
}
