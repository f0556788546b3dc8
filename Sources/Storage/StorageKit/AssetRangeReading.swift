public import CaptureModel

/// Reads ranges of the files of shots. Any number of processes may read a store while another one writes it. They see only committed
/// assets.
public protocol AssetRangeReading: Sendable {
    /// Returns the size of a committed asset; nil if there is none.
    func byteCount(of key: FileKey) async throws(StorageError) -> Int64?

    /// Returns up to `count` bytes from `offset`; fewer only at the end.
    /// - Throws: `notFound`; `inputOutput`.
    func read(_ key: FileKey, at offset: Int64, count: Int) async throws(StorageError) -> [UInt8]
}
