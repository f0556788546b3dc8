public import CaptureModel
internal import PosixSupport
public import StorageKit

/// The records of deleted shots.
extension FolderReader {
    public func deletion(of id: ShotID) throws(StorageError) -> ShotDeletion? {
        try deletion(of: id) { () throws(StorageError) in try place(of: id) != nil }
    }

    /// - Parameter isPresent: Returns whether the shot is in the folder of its day: its deletion has only begun, or somebody has put it back.
    func deletion(
        of id: ShotID, unless isPresent: () throws(StorageError) -> Bool
    ) throws(StorageError) -> ShotDeletion? {
        // Those that are carried out first: at their end, their records move to the others.
        var found = try record(of: id, in: [FolderNames.deleting])
        if found == nil { found = try record(of: id, in: FolderNames.deleted(id)) }
        guard let found, try !isPresent() else { return nil }
        return found
    }

    private func record(of id: ShotID, in names: [String]) throws(StorageError) -> ShotDeletion? {
        let folder = try root.attempt { () throws(PosixError) in try root.folderIfPresent(names) }
        guard let folder else { return nil }
        return try DeletionFile.read(id, in: folder)
    }
}
