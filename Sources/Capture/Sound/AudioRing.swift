public import CameraKit
public import CaptureModel
import DequeModule
import PosixSupport

/// The last seconds of one microphone, by time, within a number of bytes.
///
/// A buffer is dropped when it is older than `depth` before the newest one, or when the bytes run out, oldest first.
/// Unlike frames, sound is not pinned: sound of 16 bits and one channel at 48 kHz is 96 kB per second. The ring is
/// therefore as deep as any capture looks back (window, lead and the time that a clip may wait to be made), and a clip
/// is copied out of it when its window is over.
public struct AudioRing: Sendable {
    /// Limit on the time span of the ring.
    public let depth: Duration
    /// Limit on the bytes of samples in the ring.
    public let byteLimit: Int
    /// Bytes of samples held.
    public private(set) var byteCount = 0
    /// Whether sound has been dropped after the ring was emptied.
    private(set) var hasDiscarded = false
    private var entries: Deque<Entry> = []
    /// Why the next buffer does not follow the newest.
    private var interruption: SoundGap.Cause? = .notOpen

    private struct Entry: Sendable {
        var buffer: AudioBuffer
        /// Why the sound before it is missing; nil if it is not.
        var cause: SoundGap.Cause?
    }

    public init(depth: Duration, byteLimit: Int) {
        self.depth = depth
        self.byteLimit = byteLimit
    }

    public var oldest: AudioBuffer? { entries.first?.buffer }
    public var newest: AudioBuffer? { entries.last?.buffer }

    /// Begins a stream: the next buffer does not follow the last one. Sound of another format is removed.
    public mutating func beginStream(_ format: AudioFormat) {
        if let newest, newest.format != format { removeAll() }
        interruption = .notOpen
    }

    /// Adds a buffer. Makes room first.
    /// - Returns: false for a buffer that is empty, of another format, or that neither continues the newest one nor
    ///   begins after it. Then nothing has changed.
    @discardableResult
    public mutating func append(_ buffer: AudioBuffer) -> Bool {
        guard buffer.frameCount > 0, newest.map({ follows(buffer, $0) }) ?? true else { return false }
        entries.append(Entry(buffer: buffer, cause: interruption ?? cause(of: buffer)))
        interruption = nil
        byteCount += Self.bytes(of: buffer)
        while let oldest, entries.count > 1, byteCount > byteLimit || oldest.end < buffer.end - depth {
            entries.removeFirst()
            byteCount -= Self.bytes(of: oldest)
            hasDiscarded = true
        }
        return true
    }

    private mutating func removeAll() {
        entries.removeAll()
        (byteCount, hasDiscarded) = (0, false)
    }

    /// Returns whether a buffer follows. On a busy machine, a stamp may be wrong by more than the length of a buffer;
    /// the device's own count is not.
    private func follows(_ buffer: AudioBuffer, _ newest: AudioBuffer) -> Bool {
        guard buffer.format == newest.format else { return false }
        return buffer.firstFrame > newest.firstFrame || (interruption == nil && cause(of: buffer) == nil)
    }

    /// Returns why a buffer of the same stream does not follow the newest one; nil if it does.
    private func cause(of buffer: AudioBuffer) -> SoundGap.Cause? {
        guard let newest else { return .notOpen }
        if buffer.lostFrames > 0 { return .overrun }
        return buffer.position == newest.position &+ UInt64(newest.frameCount) ? nil : .droppedByNode
    }

    private static func bytes(of buffer: AudioBuffer) -> Int { buffer.samples.count * MemoryLayout<Int16>.size }

    /// All sound in the ring, as runs without a gap, oldest first.
    var runs: [SoundRun] {
        var runs: [SoundRun] = []
        for entry in entries {
            if let cause = entry.cause {
                runs.append(SoundRun(entry.buffer, after: cause))
            } else if runs.isEmpty {
                // The preceding buffer was dropped from the ring.
                runs.append(SoundRun(entry.buffer, after: .tooOld))
            } else {
                runs[runs.count - 1].append(entry.buffer)
            }
        }
        return runs
    }
}

/// The sound of a microphone for a consumer, as the microphone delivers it.
///
/// A late consumer loses the oldest buffers. The next one that it gets states how many.
public final class AudioDataOutput: Sendable {
    /// A buffer as an output delivers it.
    public struct Element: Sendable {
        public var buffer: AudioBuffer
        /// Buffers that this output did not deliver after the previous one.
        public var droppedBuffers: UInt64
    }

    private struct State: Sendable {
        var dropped: UInt64 = 0
        var total: UInt64 = 0
    }

    private let state = Locked(State())
    private let waiting: AsyncStream<AudioBuffer>
    private let continuation: AsyncStream<AudioBuffer>.Continuation

    /// - Parameter limit: Number of buffers that may wait; at least 1.
    public init(limit: Int = 16) {
        (waiting, continuation) = AsyncStream.makeStream(
            of: AudioBuffer.self, bufferingPolicy: .bufferingNewest(max(limit, 1)))
    }

    /// Queues a buffer. Any thread; never waits for the consumer.
    func offer(_ buffer: AudioBuffer) {
        guard case .dropped = continuation.yield(buffer) else { return }
        state.withLock { ($0.dropped, $0.total) = ($0.dropped &+ 1, $0.total &+ 1) }
    }

    /// The total number of buffers dropped because the consumer was late.
    public var droppedCount: UInt64 { state.withLock(\.total) }

    /// Returns the oldest buffer not delivered yet; waits for one. For one consumer.
    /// - Returns: nil after ``close()``, and permanently after the calling task was cancelled.
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

    /// Ends the consumer's wait.
    public func close() {
        continuation.finish()
    }
}
