public import CaptureModel

/// Stores the files of shots: uploads in pieces, and ranges of what is stored.
///
/// An asset is named by its ``FileKey`` and has immutable content, which its digest names. Its upload goes through these
/// states, each call being made by the key's one caller, one at a time:
///
/// | state | `begin` | `append` | `commit` | `suspend` | `forget` | a crash of the store's process |
/// |---|---|---|---|---|---|---|
/// | none | begun, answers `resume(at: 0)` | `invalidRequest` | `invalidRequest` | – | – | none |
/// | begun, n bytes durable of m received | same content: unchanged, answers `resume(at: m)`, or n after a failure; other content: begun anew at 0 | m grows; answers n | all bytes received: committed; else `invalidRequest` | begun, resources released | none | none: the store may forget what is not committed |
/// | committed | same content: answers `committed`; other content: `conflict` | `invalidRequest` | committed, where `begin` has answered so | – | committed | committed |
///
/// The store computes the digest as bytes arrive; nothing that is not committed is ever read again.
///
/// Calls for different keys may run concurrently; a slow asset of one node does not hold up another node's where the store can help it.
public protocol AssetStore: AssetReading {
    /// Begins or resumes an upload.
    ///
    /// Not durable by itself. Repeating it is harmless.
    /// - Returns: From which byte on to append, or that all is stored, also by an earlier process; ``commit(_:)`` then
    ///   says where.
    /// - Throws: `conflict` where the key is committed with other content; `notFound` where the store has no shot of this
    ///   key; `noSpace`; `inputOutput`; `invalidRequest` for a negative size.
    /// - Complexity: Where another process has committed the key, its bytes are read to compare them.
    func begin(_ key: FileKey, _ content: AssetContent) async throws(StorageError) -> UploadStart

    /// Appends bytes to an upload.
    /// - Parameter offset: The number of bytes received so far, where these belong.
    /// - Returns: How many bytes from the beginning are durable; the others may be lost with the store's process. Never more than
    ///   were appended, and never fewer than the call before returned.
    /// - Throws: `invalidRequest` where the bytes belong elsewhere or are too many. After `noSpace` and `inputOutput`,
    ///   ``begin(_:_:)`` says where to go on.
    @discardableResult
    func append(_ bytes: [UInt8], to key: FileKey, at offset: Int64) async throws(StorageError) -> Int64

    /// Compares the digests of whole uploads with what ``begin(_:_:)`` announced, and stores the assets.
    ///
    /// On return a success is durable and readable under its key. After a failure or a crash an asset is committed as a whole or
    /// not at all, and ``begin(_:_:)`` tells which.
    /// - Returns: For each key where users find the asset, or: `corrupted` where the bytes are not those announced, and the
    ///   upload is to be begun again; `invalidRequest` where bytes are missing; `noSpace`; `inputOutput`.
    /// - Complexity: Committing several keys at once may cost little more than one.
    func commit(_ keys: [FileKey]) async -> [FileKey: Result<AssetLocation, StorageError>]

    /// Releases memory and descriptors of an upload that pauses; ``begin(_:_:)`` resumes it.
    func suspend(_ key: FileKey) async

    /// Removes what was received of an asset that is not committed. One that cannot be removed is removed later.
    func forget(_ key: FileKey) async

    /// Removes the uploads of a shot, also of earlier processes, except those of `kept` and those that are begun and not suspended.
    func forgetUploads(of shot: ShotID, except kept: Set<FileKey>) async

    /// Removes the uploads of all shots but these.
    func forgetUploads(exceptOf shots: Set<ShotID>) async

    /// Removes a committed asset; one that is not there is no error. Durable on return.
    func remove(_ key: FileKey) async throws(StorageError)
}

/// Reads the files of shots. A store is read by any number of processes beside the one that writes it; what they see is committed.
public protocol AssetReading: Sendable {
    /// Where users find an asset, committed or not, relative to its shot's ``ShotReading/location(of:)``.
    nonisolated func location(of key: FileKey) -> AssetLocation

    /// The size of a committed asset; nil where there is none.
    func byteCount(of key: FileKey) async throws(StorageError) -> Int64?

    /// Up to `count` bytes from `offset`; fewer at the end only.
    /// - Throws: `notFound`; `inputOutput`.
    func read(_ key: FileKey, at offset: Int64, count: Int) async throws(StorageError) -> [UInt8]

    /// Size and digest of a committed asset, computed from the bytes as they are stored at this moment; nil where there is none.
    /// - Complexity: Reads the whole asset.
    func content(of key: FileKey) async throws(StorageError) -> AssetContent?

    /// What the store holds, in order of location, a page at a time.
    /// - Parameters:
    ///   - after: The last location of the page before; nil for the first page.
    ///   - limit: At most so many; fewer say that there are no more.
    func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) async throws(StorageError) -> [AssetLocation]
}

/// Which part of a store is listed.
public enum AssetScope: Hashable, Sendable {
    /// Everything that is stored with a shot besides its documents, relative to the shot's location.
    case shot(ShotID)
    /// What arrived with other bytes than announced and was kept for people to look at, relative to the store's location.
    case setAside
    /// What belongs to no shot, relative to the store's location.
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

/// How an upload goes on.
public enum UploadStart: Hashable, Sendable {
    /// Append from this byte on; the asset's size where all bytes were received before.
    case resume(at: Int64)
    /// The asset is stored.
    case committed
}

/// Where a user finds something, in the store's own terms: part of a path, or of an object's key. Programs pass it on and take
/// nothing from it.
public struct AssetLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }

    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension AssetStore {
    /// Commits one asset; see ``commit(_:)-([FileKey])``.
    public func commit(_ key: FileKey) async throws(StorageError) -> AssetLocation {
        guard let outcome = await commit([key])[key] else {
            throw StorageError(.inputOutput, "commit", key, "\(key) was not committed")
        }
        return try outcome.get()
    }
}

extension AssetReading {
    /// Everything of a scope, page by page.
    public func list(_ scope: AssetScope) async throws(StorageError) -> [AssetLocation] {
        var found: [AssetLocation] = []
        while true {
            let page = try await list(scope, after: found.last, limit: 1000)
            found += page
            if page.count < 1000 { return found }
        }
    }
}
