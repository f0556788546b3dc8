public import CaptureModel
internal import FaultPoints
internal import PosixSupport
public import StorageKit

/// Writes what people say about shots into a library's folder, also beside a coordinator that works in it: the file
/// `annotation.json` is no part of the manifest, and nothing of the coordinator depends on it.
extension FolderReader: AnnotationStore {
    public func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) throws(StorageError) {
        guard let place = try place(of: id), try readIfBegun(in: place.folder, id: id) != nil else {
            throw StorageError(.notFound, "annotate", id, "the library \(root.path) has no shot \(id)")
        }
        // From reading to writing nobody else may change it.
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
        // By the day's time of change an index knows that something in it is not as it was.
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
