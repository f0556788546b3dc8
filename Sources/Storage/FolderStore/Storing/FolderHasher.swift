internal import CaptureModel
internal import PosixSupport

/// Hashes files that lie in the library already, on a thread of its own: of a long movie it takes minutes, and no other file waits for
/// it.
actor FolderHasher {
    private nonisolated let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    func digest(of file: OpenFile) throws(PosixError) -> ContentDigest { try file.digest() }
}
