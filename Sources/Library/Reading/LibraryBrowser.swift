import CaptureModel
import PosixSupport

/// Answers what may take long from a library, listing and hashing, on a thread of its own, so that a large shot being
/// verified delays no shot being stored.
actor LibraryBrowser {
    private let reader: LibraryReader
    private nonisolated let executor: FileExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(reader: LibraryReader, executor: FileExecutor) {
        self.reader = reader
        self.executor = executor
    }

    func shots(limit: Int, before: ShotID?) throws(CaptureProblem) -> ShotListing {
        try reader.shots(limit: limit, before: before)
    }

    func unclaimed() throws(CaptureProblem) -> [VerifyFinding] {
        try reader.unclaimed()
    }

    func verify(_ id: ShotID) throws(CaptureProblem) -> [VerifyFinding] {
        try reader.verify(id)
    }
}
