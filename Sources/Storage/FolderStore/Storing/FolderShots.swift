public import CaptureModel
internal import FaultPoints
internal import PosixSupport
internal import ShotDocuments
public import StorageKit

/// Writes the manifests of a library's folder, on a separate thread, so that no manifest waits for files.
public actor FolderShots {
    private let tree: FolderTree
    private let reader: FolderReader
    private let deletions: FolderDeletion
    private nonisolated let executor: ThreadExecutor
    /// The revisions of open shots that this process has written. No other process writes them.
    private var revisions: [ShotID: Int] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(tree: FolderTree, reader: FolderReader, executor: ThreadExecutor) {
        self.tree = tree
        self.reader = reader
        deletions = FolderDeletion(tree: tree, reader: reader)
        self.executor = executor
    }

    /// Returns the path of a shot's folder; nil if the library does not have it.
    func path(of id: ShotID) -> String? {
        tree.folderNames(of: id).map { tree.root.path(of: $0.joined(separator: "/")) }
    }

    /// Writes a manifest, whatever is stored, and returns once it is durable. A crash leaves either the previous manifest or this one.
    /// - Throws: `noSpace`, `inputOutput`; the previous manifest is then kept, except if the library is not in its place.
    func write(_ shot: Shot) throws(StorageError) {
        let manifest = try Self.encoded(shot)
        let names = FolderNames.folders(of: shot)
        revisions[shot.id] = nil
        try tree.root.attempt { () throws(PosixError) in
            let folder = try tree.durableFolder(names)
            try makeCaptureFolders(of: shot, in: folder, names)
            try folder.publish([manifest], as: FolderNames.manifest(of: shot))
        }
        try tree.check()
        LibraryFault.manifestDurable.reached()
        tree.note(shot.id, day: Array(names.dropLast()))
        if shot.status == .open {
            revisions[shot.id] = shot.revision
            tree.noteDurable(shot.captures.map { names + [$0.device.id.folderName] })
        } else {
            tidy(shot, names)
        }
    }

    private static func encoded(_ shot: Shot) throws(StorageError) -> [UInt8] {
        do throws(DocumentError) {
            return try ShotManifest(shot: shot).encoded()
        } catch {
            throw StorageError(error, "write", "the manifest of shot \(shot.id)")
        }
    }

    /// Makes the folders of captures before the manifest is published. Its folder sync makes their names durable too: one sync before T,
    /// instead of one for each camera after it.
    private func makeCaptureFolders(of shot: Shot, in folder: Folder, _ names: [String]) throws(PosixError) {
        guard shot.status == .open else { return }
        for capture in shot.captures where !tree.isDurable(names + [capture.device.id.folderName]) {
            _ = try folder.makeFolder(capture.device.id.folderName)
        }
    }

    /// Removes the folders of cameras that delivered nothing, and forgets which folders are durable, since a settled shot is rarely written
    /// again. A late file creates its folder again.
    private func tidy(_ shot: Shot, _ names: [String]) {
        let folder = try? reader.open(names)
        for capture in shot.captures where !capture.files.contains(where: { $0.digest != nil }) {
            try? folder?.removeEmptyFolder(capture.device.id.folderName)
        }
        tree.forgetDurable(of: shot.id)
    }
}

extension FolderShots: ShotStore {
    public func create(_ shot: Shot) throws(StorageError) {
        if let found = try self.shot(shot.id), found != shot {
            throw StorageError(
                .conflict, "create", shot.id,
                "the library \(location) has shot \(shot.id) already, in revision \(found.revision)")
        }
        if try deletion(of: shot.id) != nil {
            throw StorageError(
                .conflict, "create", shot.id, "the library \(location) has had shot \(shot.id), which was deleted")
        }
        // Also if it is stored: its writer may have been stopped before its name was durable.
        try write(shot)
    }

    public func replace(_ revision: Int, with shot: Shot) throws(StorageError) {
        guard shot.revision > revision else {
            throw StorageError(
                .invalidRequest, "replace", shot.id,
                "revision \(revision) of shot \(shot.id) cannot be replaced by revision \(shot.revision)")
        }
        if revisions[shot.id] != revision { try checkReplaceable(revision, shot) }
        try write(shot)
    }

    private func checkReplaceable(_ revision: Int, _ shot: Shot) throws(StorageError) {
        guard let found = try self.shot(shot.id) else {
            throw StorageError(
                .notFound, "replace", shot.id, "the library \(location) has no shot \(shot.id)")
        }
        guard found.revision == revision || found == shot else {
            throw StorageError(
                .conflict, "replace", shot.id,
                "the library \(location) has revision \(found.revision) of shot \(shot.id), not \(revision): another program has written it"
            )
        }
    }

    public func removeUnbegun(_ ids: [ShotID]) {
        for id in ids { removeUnbegun(id) }
    }

    private func removeUnbegun(_ id: ShotID) {
        guard let names = tree.folderNames(of: id), let dayFolder = try? reader.open(Array(names.dropLast())),
            let folder = try? dayFolder.folder(id.description)
        else { return }
        for name in FolderNames.unfinishedManifests { try? folder.remove(name) }
        for name in (try? folder.names()) ?? [] { try? folder.removeEmptyFolder(name) }
        try? dayFolder.removeEmptyFolder(id.description)
        tree.forget(id)
    }

    public func delete(_ deletion: ShotDeletion) throws(StorageError) {
        revisions[deletion.shot] = nil
        try deletions.delete(deletion)
    }

    public func finishDeletions() -> [ShotID: Result<ShotDeletion, StorageError>] { deletions.finishAll() }

    public func deletion(of id: ShotID) throws(StorageError) -> ShotDeletion? { try deletions.record(of: id) }

    public func check() throws(StorageError) { try tree.check() }

    public func checkRoom() throws(StorageError) {
        try tree.refresh()
        try tree.root.checkRoom("begin another shot in", forFiles: FolderTree.filesOfShot)
    }

    public func mishap() -> String? { tree.mishap(at: reader.realtime()) }

    public func freeBytes() -> Int64? { try? tree.root.room().freeBytes }

    public nonisolated var location: String { reader.location }

    public nonisolated func location(of shot: Shot) -> String { reader.location(of: shot) }

    public func shot(_ id: ShotID) throws(StorageError) -> Shot? {
        guard let names = tree.folderNames(of: id) else { return nil }
        return try reader.shotIfBegun(in: reader.open(names), id: id)
    }

    public func manifestBytes(of id: ShotID) throws(StorageError) -> [UInt8]? {
        guard let names = tree.folderNames(of: id) else { return nil }
        return try reader.documentIfBegun(in: reader.open(names))?.bytes
    }

    public func annotation(of id: ShotID) throws(StorageError) -> ShotAnnotation { try reader.annotation(of: id) }

    public func days(before: String?, limit: Int) throws(StorageError) -> [ShotDay] {
        try reader.days(before: before, limit: limit)
    }

    public func list(_ day: String, after: ShotID?, limit: Int) throws(StorageError) -> [ShotEntry] {
        try reader.list(day, after: after, limit: limit)
    }

    public func day(of id: ShotID) -> String? { tree.folderNames(of: id)?.dropLast().joined(separator: "/") }

    public func stamp(of id: ShotID, day: String) throws(StorageError) -> ShotStamp? {
        try reader.stamp(of: id, day: day)
    }

    public func record(of id: ShotID, day: String) throws(StorageError) -> ShotRecord? {
        try reader.record(of: id, day: day)
    }
}
