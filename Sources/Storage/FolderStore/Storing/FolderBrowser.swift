public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Reads a library's folder on a thread of its own, such as listing and hashing, which may take long.
public actor FolderBrowser {
    private let reader: FolderReader
    private nonisolated let executor: ThreadExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(reader: FolderReader, executor: ThreadExecutor) {
        self.reader = reader
        self.executor = executor
    }
}

extension FolderBrowser: ShotReading {
    public nonisolated var location: String { reader.location }

    public nonisolated func location(of shot: Shot) -> String { reader.location(of: shot) }

    public func shot(_ id: ShotID) throws(StorageError) -> Shot? { try reader.shot(id) }

    public func annotation(of id: ShotID) throws(StorageError) -> ShotAnnotation { try reader.annotation(of: id) }

    public func days(before: String?, limit: Int) throws(StorageError) -> [ShotDay] {
        try reader.days(before: before, limit: limit)
    }

    public func list(_ day: String, after: ShotID?, limit: Int) throws(StorageError) -> [ShotEntry] {
        try reader.list(day, after: after, limit: limit)
    }

    public func day(of id: ShotID) throws(StorageError) -> String? { try reader.day(of: id) }

    public func stamp(of id: ShotID, day: String) throws(StorageError) -> ShotStamp? {
        try reader.stamp(of: id, day: day)
    }

    public func record(of id: ShotID, day: String) throws(StorageError) -> ShotRecord? {
        try reader.record(of: id, day: day)
    }
}

extension FolderBrowser: AssetReading {
    public nonisolated func location(of key: FileKey) -> AssetLocation { reader.location(of: key) }

    public func byteCount(of key: FileKey) throws(StorageError) -> Int64? { try reader.byteCount(of: key) }

    public func read(_ key: FileKey, at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        try reader.read(key, at: offset, count: count)
    }

    public func content(of key: FileKey) throws(StorageError) -> AssetContent? { try reader.content(of: key) }

    public func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) throws(StorageError) -> [AssetLocation] {
        try reader.list(scope, after: after, limit: limit)
    }
}

/// Writes what people say about shots, on the browser's thread.
extension FolderBrowser: AnnotationStore {
    public func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) throws(StorageError) {
        try reader.replace(old, with: new, of: id)
    }
}
