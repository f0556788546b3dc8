import CaptureModel
public import PosixSupport
import Spool

/// Makes the clips of a node's sessions, one after the other, on a thread of its own: neither a camera nor the spool's
/// other work waits for a movie to be written.
///
/// What waits is bounded by the captures that the sessions have under way; its frames are counted as their rings'.
public actor ClipMaker {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let writer: any ClipWriting

    /// - Parameter executor: The thread that clips are made on.
    public init(executor: ThreadExecutor, writer: any ClipWriting = MovieClipWriter()) {
        self.executor = executor
        self.writer = writer
    }

    /// Writes a clip into the spool, where other files are made of it.
    /// - Throws: Why there is none; nothing of it is left then.
    func record(_ clip: Clip, of key: CaptureKey, in spool: Spool) throws(CaptureProblem) {
        let place = spool.place(of: .clip, key)
        try writer.write(clip, to: place.folder, as: place.name)
    }

    /// Writes a clip into the spool, where its capture owes it.
    /// - Throws: Why there is none; nothing of it is left then.
    func make(_ clip: Clip, of key: CaptureKey, in spool: Spool) throws(CaptureProblem) -> SpooledFile {
        try spool.make(FileKey(capture: key, kind: .pairedVideo)) { (folder, name) throws(CaptureProblem) in
            try writer.write(clip, to: folder, as: name)
        }
    }
}
