internal import CaptureModel
internal import FaultPoints
internal import PosixSupport
internal import StorageKit

/// Deletes shots from a library's folder. Every call blocks on the disk, on the thread that writes manifests.
///
/// | step, each durable before the next | what readers see | after a crash, the next start |
/// |---|---|---|
/// | the record is written to `.deleting/` | the shot as before | goes on |
/// | the shot's folder is renamed into `.deleting/` | no shot; that it was deleted | goes on |
/// | the files are removed | the same | goes on |
/// | the record is renamed into `.deleted/` | the same | has nothing to do |
///
/// So a shot is in its day's folder with all its files, or not at all.
struct FolderDeletion {
    private let tree: FolderTree
    private let reader: FolderReader

    private var root: Folder { tree.root }

    init(tree: FolderTree, reader: FolderReader) {
        self.tree = tree
        self.reader = reader
    }

    /// Returns the record of a deleted shot, also of one whose files are not removed yet.
    func record(of id: ShotID) throws(StorageError) -> ShotDeletion? {
        try reader.deletion(of: id) { () throws(StorageError) in tree.folderNames(of: id) != nil }
    }

    /// Deletes a shot, or finishes a deletion that has failed.
    func delete(_ deletion: ShotDeletion) throws(StorageError) {
        let id = deletion.shot
        guard let names = tree.folderNames(of: id) else {
            guard let earlier = try record(of: id) else {
                throw StorageError(.notFound, "delete", id, "the library \(root.path) has no shot \(id)")
            }
            return try finish(earlier)
        }
        try tree.check()
        let bytes = try DeletionFile.encoded(deletion)
        try root.attempt { () throws(PosixError) in
            try root.makeDurableFolder(FolderNames.deleting).publish([bytes], as: DeletionFile.name(of: id))
        }
        LibraryFault.deletionRecorded.reached()
        do throws(StorageError) {
            try move(id, from: Array(names.dropLast()))
        } catch {
            try withdraw(id, after: error)
        }
        try finish(deletion)
    }

    /// Moves the folder of a shot to the others that are being removed.
    private func move(_ id: ShotID, from day: [String]) throws(StorageError) {
        try root.attempt { () throws(PosixError) in
            let (dayFolder, deleting) = (try root.folder(day), try root.folder(FolderNames.deleting))
            try dayFolder.rename(id.description, in: deleting, to: id.description)
            tree.forget(id)
            tree.forgetDurable(of: id)
            try deleting.sync()
            try dayFolder.sync()
        }
        LibraryFault.deletionMoved.reached()
    }

    /// Takes the record of a deletion back whose shot is still in its place.
    private func withdraw(_ id: ShotID, after failure: StorageError) throws(StorageError) -> Never {
        if tree.folderNames(of: id) != nil {
            do {
                let deleting = try root.folder(FolderNames.deleting)
                try deleting.remove(DeletionFile.name(of: id))
                try deleting.sync()
            } catch {
                throw StorageError(
                    failure.code, failure.operation, failure.subject,
                    "\(failure.cause); the record of the deletion could not be removed either, so that the coordinator's next start deletes "
                        + "the shot unless \(root.path)/\(FolderNames.deleting)/\(DeletionFile.name(of: id)) is removed before"
                )
            }
        }
        throw failure
    }

    /// Removes the files of a shot that is in no day's folder, and files its record with the others.
    private func finish(_ deletion: ShotDeletion) throws(StorageError) {
        let id = deletion.shot
        try root.attempt { () throws(PosixError) in
            guard let deleting = try root.folderIfPresent(FolderNames.deleting),
                try deleting.entry(DeletionFile.name(of: id)) != nil
            else { return }
            try removeFolder(id.description, of: deleting)
            try deleting.sync()
            LibraryFault.deletionEmptied.reached()
            var records = root
            for name in FolderNames.deleted(id) { records = try records.makeDurableFolder(name) }
            try deleting.rename(DeletionFile.name(of: id), in: records, to: DeletionFile.name(of: id))
            try records.sync()
            try deleting.sync()
        }
        LibraryFault.deletionFiled.reached()
    }

    /// Removes a folder with everything in it. Follows no links.
    private func removeFolder(_ name: String, of parent: Folder) throws(PosixError) {
        guard let folder = try parent.folderIfPresent(name) else { return }
        for entry in try folder.entries() {
            if entry.kind == .folder {
                try removeFolder(entry.name, of: folder)
            } else {
                try folder.remove(entry.name)
            }
        }
        try parent.removeEmptyFolder(name)
    }

    /// Finishes what an earlier process has begun, and forgets what it has not.
    /// - Returns: The deletions that are finished, and why others are not.
    func finishAll() -> [ShotID: Result<ShotDeletion, StorageError>] {
        var outcomes: [ShotID: Result<ShotDeletion, StorageError>] = [:]
        guard let deleting = try? root.folderIfPresent(FolderNames.deleting) else { return outcomes }
        for name in (try? deleting.names()) ?? [] {
            // A record that never became complete: its shot was not touched.
            if name.hasSuffix(".json.tmp") { try? deleting.remove(name) }
            guard let id = DeletionFile.shot(ofName: name) else { continue }
            do throws(StorageError) {
                if let deletion = try resume(id, in: deleting) { outcomes[id] = .success(deletion) }
            } catch {
                outcomes[id] = .failure(error)
            }
        }
        return outcomes
    }

    private func resume(_ id: ShotID, in deleting: Folder) throws(StorageError) -> ShotDeletion? {
        guard let deletion = try DeletionFile.read(id, in: deleting) else { return nil }
        if let names = tree.folderNames(of: id) { try move(id, from: Array(names.dropLast())) }
        try finish(deletion)
        return deletion
    }
}

extension Folder {
    /// Opens the folder at a path of plain names below this one.
    func folder(_ names: [String]) throws(PosixError) -> Folder {
        var folder = self
        for name in names { folder = try folder.folder(name) }
        return folder
    }
}
