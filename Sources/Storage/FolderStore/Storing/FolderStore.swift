public import CaptureModel
internal import FaultPoints
public import PosixSupport
public import StorageKit

/// A library on a local disk: manifests and files of shots, as a plain tree of folders.
///
/// One process at a time writes it; ``FolderReader`` may read it at the same time. Each part works on a separate thread, where it blocks on the
/// disk:
///
/// | part | thread | purpose |
/// |---|---|---|
/// | ``manifests`` | `library` | manifests, and whether files exist |
/// | ``assets`` | `files-0` to `files-31` | files as they arrive, one thread for each node |
/// | – | `hash-0` to `hash-31` | hashing of files that are begun again and are in their place, one thread for each node |
/// | ``browser`` | `library-read` | listing and verifying, which may take long |
/// | ``server`` | `library-serve` | ranges of files that clients read |
/// | ``notes`` | `library-notes` | titles and notes |
public struct FolderStore: Sendable {
    public let manifests: FolderShots
    public let assets: FolderAssets
    public let browser: FolderBrowser
    public let server: FolderBrowser
    public let notes: FolderBrowser
    /// The complete library, for code that runs shots.
    public let library: ShotLibrary

    /// Opens the library, creates it if it is missing, and takes its lock. Changes no shot in it. Blocks on the disk while it lists the
    /// folders of all days.
    /// - Throws: `FolderInUse` if another process writes it; `PosixError`.
    public init(folder path: String, fault: FileFault? = nil) throws {
        let reader = FolderReader(root: try Folder.make(path, fault: fault))
        let tree = try FolderTree(reader)
        let executor = try ThreadExecutor(name: "library")
        manifests = FolderShots(tree: tree, reader: reader, executor: executor)
        browser = FolderBrowser(reader: reader, executor: try ThreadExecutor(name: "library-read"))
        assets = FolderAssets(tree: tree, browser: browser, executor: executor)
        server = FolderBrowser(reader: reader, executor: try ThreadExecutor(name: "library-serve"))
        notes = FolderBrowser(reader: reader, executor: try ThreadExecutor(name: "library-notes"))
        library = ShotLibrary(
            store: manifests, assets: assets, stored: FolderBrowser(reader: reader, executor: executor),
            annotations: notes, reading: browser)
    }
}

/// Reads a library's folder on a separate thread. Listing and hashing may take long.
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

    public func manifestBytes(of id: ShotID) throws(StorageError) -> [UInt8]? { try reader.manifestBytes(of: id) }

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

    public func deletion(of id: ShotID) throws(StorageError) -> ShotDeletion? { try reader.deletion(of: id) }
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

/// Writes titles and notes, on the browser's thread.
extension FolderBrowser: AnnotationStore {
    public func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) throws(StorageError) {
        try reader.replace(old, with: new, of: id)
    }
}

/// Writes titles and notes into a library's folder, also while a coordinator uses it. The file `annotation.json` is not part of the
/// manifest, and the coordinator does not depend on it.
extension FolderReader: AnnotationStore {
    public func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) throws(StorageError) {
        guard let place = try place(of: id), try shotIfBegun(in: place.folder, id: id) != nil else {
            throw StorageError(.notFound, "annotate", id, "the library \(root.path) has no shot \(id)")
        }
        // No other program may change it between reading and writing.
        let lock = try annotationLock()
        defer { withExtendedLifetime(lock) {} }
        let found = try annotation(in: place.folder)
        guard found == old || found == new else {
            throw StorageError(
                .conflict, "annotate", id, "another program has changed title or note of shot \(id) just now; try again"
            )
        }
        try write(new, in: place.folder)
        LibraryFault.annotationDurable.reached()
        // The modification time of the day's folder tells an index that something in it has changed.
        try place.dayFolder.attempt { () throws(PosixError) in try place.dayFolder.touch() }
    }

    private func write(_ annotation: ShotAnnotation, in folder: Folder) throws(StorageError) {
        let bytes = try AnnotationFile.encoded(annotation)
        try folder.attempt { () throws(PosixError) in
            guard annotation.isEmpty else { return try folder.publish([bytes], as: FolderNames.annotation) }
            try folder.remove(FolderNames.annotation)
            try folder.sync()
        }
    }

    private func annotationLock() throws(StorageError) -> FolderLock {
        do {
            return try FolderLock(root, name: FolderNames.annotationLock)
        } catch let error as PosixError {
            throw StorageError(error)
        } catch {
            throw StorageError(
                .conflict, "annotate", root.path,
                "another program writes a title or note in \(root.path) just now; try again")
        }
    }
}
