import PosixSupport

/// The frames of a recording on their way from its session to its writer: first in, first out, bounded by number and by bytes. What
/// does not fit is not taken, so that a disk that does not keep up costs frames, which are counted, and no memory.
struct RecordableFrames: Sendable {
    /// At most so many wait: four seconds at 30 frames a second.
    static let mostFrames = 120

    private let stream: AsyncStream<RecordableFrame>
    private let continuation: AsyncStream<RecordableFrame>.Continuation
    private let byteLimit: Int
    private let waitingBytes = Locked(0)

    /// - Parameter byteLimit: Bytes of pictures that may wait, at most; one picture may always.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostFrames))
    }

    /// Hands a frame on.
    /// - Returns: Whether it was taken.
    func offer(_ frame: RecordableFrame) -> Bool {
        let count = frame.frame.jpeg.count
        let fits = waitingBytes.withLock { waiting in
            guard waiting == 0 || waiting + count <= byteLimit else { return false }
            waiting += count
            return true
        }
        guard fits else { return false }
        guard case .enqueued = continuation.yield(frame) else {
            leave(count)
            return false
        }
        return true
    }

    /// No further frame comes.
    func finish() { continuation.finish() }

    /// Calls `body` with each frame until there is none, or it returns something.
    func forEach<Failure: Error, Result>(
        _ body: (RecordableFrame) async throws(Failure) -> Result?
    ) async throws(Failure) -> Result? {
        for await frame in stream {
            leave(frame.frame.jpeg.count)
            if let result = try await body(frame) { return result }
        }
        return nil
    }

    private func leave(_ count: Int) { waitingBytes.withLock { $0 -= count } }
}
