public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
internal import PosixSupport

/// Writes what people say about shots into a library's folder, also beside a coordinator that works in it: the file
/// `annotation.json` is no part of the manifest, and nothing of the coordinator depends on it.
///
/// Blocks on the disk.
public struct AnnotationWriter: Sendable {
    private let reader: LibraryReader

    public init(_ reader: LibraryReader) {
        self.reader = reader
    }

    /// Changes title, note or both, and returns once they are durable. Where both become empty the file goes.
    /// - Returns: What is written about the shot thereafter.
    /// - Throws: `unknownShot`; `protocolViolation` where a text is too long; `corrupted` where the file that is there
    ///   cannot be read; `conflict` where another program writes an annotation just now; `noSpace`, `inputOutput`.
    public func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) throws(CaptureProblem) -> ShotAnnotation {
        guard let place = try reader.place(of: id), try reader.readIfBegun(in: place.folder, id: id) != nil else {
            throw CaptureProblem(.unknownShot, "the library \(reader.root.path) has no shot \(id)")
        }
        // From reading to writing nobody else may change it.
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let annotation = edit.applied(to: try reader.annotation(in: place.folder))
        if let problem = annotation.problem { throw CaptureProblem(.protocolViolation, problem) }
        try write(annotation, in: place.folder)
        LibraryFault.annotationDurable.reached()
        // By the day's time of change an index knows that something in it is not as it was.
        try place.dayFolder.attempt { () throws(PosixError) in try place.dayFolder.touch() }
        return annotation
    }

    private func write(_ annotation: ShotAnnotation, in folder: Folder) throws(CaptureProblem) {
        let bytes = try AnnotationFile.encoded(annotation)
        try folder.attempt { () throws(PosixError) in
            guard annotation.isEmpty else { return try folder.publish([bytes], as: LibraryNames.annotation) }
            try folder.remove(LibraryNames.annotation)
            try folder.sync()
        }
    }

    private func lock() throws(CaptureProblem) -> FolderLock {
        do {
            return try FolderLock(reader.root, name: LibraryNames.annotationLock)
        } catch let error as PosixError {
            throw CaptureProblem(error)
        } catch {
            throw CaptureProblem(
                .conflict, "another program writes a title or note in \(reader.root.path) just now; try again")
        }
    }
}
