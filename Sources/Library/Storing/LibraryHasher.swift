internal import CaptureModel
internal import Crypto
internal import PosixSupport

/// Hashes what lies in the library already, on a thread of its own: of a long movie it takes minutes, and no manifest waits for it.
actor LibraryHasher {
    private nonisolated let executor: FileExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(executor: FileExecutor) {
        self.executor = executor
    }

    /// The state of SHA-256 after the whole file, to be continued with what is appended.
    func hash(of file: OpenFile) throws(PosixError) -> SHA256 { try file.hash() }
}
