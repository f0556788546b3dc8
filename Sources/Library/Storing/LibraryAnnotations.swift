import CaptureModel
import PosixSupport

/// Reads and writes what people say about shots, on a thread of its own: neither shots nor long readings wait for it, nor
/// it for them.
actor LibraryAnnotations {
    private let reader: LibraryReader
    private nonisolated let executor: FileExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(reader: LibraryReader, executor: FileExecutor) {
        self.reader = reader
        self.executor = executor
    }

    func annotation(of id: ShotID) throws(CaptureProblem) -> ShotAnnotation {
        try reader.annotation(of: id)
    }

    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) throws(CaptureProblem) -> ShotAnnotation {
        try AnnotationWriter(reader).edit(id, edit)
    }
}
