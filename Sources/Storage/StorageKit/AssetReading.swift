public import CaptureModel

/// Reads, hashes and lists the files of shots.
public protocol AssetReading: AssetRangeReading {
    /// Returns where users find an asset, committed or not, relative to its shot's ``ShotReading/location(of:)``.
    nonisolated func location(of key: FileKey) -> AssetLocation

    /// Returns size and digest of a committed asset, computed from the bytes stored at this moment; nil if there is none.
    /// - Complexity: Reads the complete asset.
    func content(of key: FileKey) async throws(StorageError) -> AssetContent?

    /// Returns the contents of the store in order of location, one page at a time.
    /// - Parameters:
    ///   - after: The last location of the previous page; nil for the first page.
    ///   - limit: The most locations to return. Fewer mean that there are no more.
    func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) async throws(StorageError) -> [AssetLocation]
}

extension AssetReading {
    /// Returns everything of a scope, read page by page.
    public func list(_ scope: AssetScope) async throws(StorageError) -> [AssetLocation] {
        var found: [AssetLocation] = []
        while true {
            let page = try await list(scope, after: found.last, limit: 1000)
            found += page
            if page.count < 1000 { return found }
        }
    }
}
