public import CameraKit
import CaptureModel
import PosixSupport

/// The sound of a microphone for whoever takes it, as the microphone delivers it.
///
/// A consumer that is late loses the oldest buffers; the next one it gets tells how many.
public final class AudioDataOutput: Sendable {
    /// A buffer as an output hands it on.
    public struct Element: Sendable {
        public var buffer: AudioBuffer
        /// Buffers that this output did not hand on, since the one before.
        public var droppedBuffers: UInt64
    }

    private struct State: Sendable {
        var dropped: UInt64 = 0
        var total: UInt64 = 0
    }

    private let state = Locked(State())
    private let waiting: AsyncStream<AudioBuffer>
    private let continuation: AsyncStream<AudioBuffer>.Continuation

    /// - Parameter limit: Buffers that may wait; at least 1.
    public init(limit: Int = 16) {
        (waiting, continuation) = AsyncStream.makeStream(
            of: AudioBuffer.self, bufferingPolicy: .bufferingNewest(max(limit, 1)))
    }

    /// Puts a buffer behind those that wait. Any thread; never waits for the consumer.
    func offer(_ buffer: AudioBuffer) {
        guard case .dropped = continuation.yield(buffer) else { return }
        state.withLock { ($0.dropped, $0.total) = ($0.dropped &+ 1, $0.total &+ 1) }
    }

    /// Buffers dropped because the consumer was late, all in all.
    public var droppedCount: UInt64 { state.withLock(\.total) }

    /// The oldest buffer not handed on yet; waits for one. For one consumer.
    /// - Returns: nil after ``close()``, and for good when the calling task has been cancelled.
    public func next() async -> Element? {
        for await buffer in waiting {
            let dropped = state.withLock { state in
                defer { state.dropped = 0 }
                return state.dropped
            }
            return Element(buffer: buffer, droppedBuffers: dropped)
        }
        return nil
    }

    /// Ends the consumer's waiting.
    public func close() {
        continuation.finish()
    }
}
