internal import PosixSupport
internal import RigClient

/// Turns the pictures of `capctl preview` upright and writes them, one after the other on a separate thread: either may block, for the time of the
/// work and for a reader that does not read.
actor PreviewWriter {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let turner = FrameTurner()
    private let sink: FrameSink

    /// - Parameter path: A file, created or truncated; nil for standard output.
    /// - Throws: ``CommandFailure`` if it cannot be written; `PosixError` if no thread can be created.
    init(path: String?) throws {
        sink = try FrameSink(path: path)
        executor = try ThreadExecutor(name: "preview")
    }

    /// Writes a picture as it stands upright.
    /// - Returns: Whether it was written; false if it cannot be decoded.
    /// - Throws: ``CommandFailure`` if the destination cannot be written.
    func write(_ frame: ReceivedFrame) throws -> Bool {
        guard let picture = try? turner.upright(frame) else { return false }
        try sink.write(picture)
        return true
    }
}
