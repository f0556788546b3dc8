public import CameraKit
public import CaptureModel
import DequeModule

/// The last seconds of one microphone, by time, within a number of bytes.
///
/// A buffer leaves when it is older than `depth` before the newest one, or when the bytes run out, oldest first. Nothing
/// pins it, unlike frames: sound of 16 bits and one channel at 48 kHz is 96 kB a second, so that the ring is made as deep
/// as any capture looks back (window, lead and the time a clip may wait to be made), and a clip is copied out of it at once
/// when its window is over.
public struct AudioRing: Sendable {
    /// How much time the ring holds, at most.
    public let depth: Duration
    /// How many bytes of samples the ring holds, at most.
    public let byteLimit: Int
    /// Bytes of samples held.
    public private(set) var byteCount = 0
    /// Whether sound has left it since it was emptied.
    private(set) var hasDiscarded = false
    private var entries: Deque<Entry> = []
    /// Why the buffer that comes next does not follow the newest.
    private var interruption: SoundGap.Cause? = .notOpen

    private struct Entry: Sendable {
        var buffer: AudioBuffer
        /// Why the sound before it is missing; nil where it is not.
        var cause: SoundGap.Cause?
    }

    public init(depth: Duration, byteLimit: Int) {
        self.depth = depth
        self.byteLimit = byteLimit
    }

    public var oldest: AudioBuffer? { entries.first?.buffer }
    public var newest: AudioBuffer? { entries.last?.buffer }

    /// A stream begins: what comes next does not follow what came last. Sound of another format is forgotten.
    public mutating func beginStream(_ format: AudioFormat) {
        if let newest, newest.format != format { removeAll() }
        interruption = .notOpen
    }

    /// Keeps a buffer; makes room first.
    /// - Returns: false for one that is empty, of another format, or neither goes on where the newest one ended nor begins
    ///   after it. Then nothing has changed.
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

    /// A stamp may be wrong by more than a buffer is long, as a busy machine makes it; the device's own count is not.
    private func follows(_ buffer: AudioBuffer, _ newest: AudioBuffer) -> Bool {
        guard buffer.format == newest.format else { return false }
        return buffer.firstFrame > newest.firstFrame || (interruption == nil && cause(of: buffer) == nil)
    }

    /// Why a buffer of the same stream does not follow the newest one; nil where it does.
    private func cause(of buffer: AudioBuffer) -> SoundGap.Cause? {
        guard let newest else { return .notOpen }
        if buffer.lostFrames > 0 { return .overrun }
        return buffer.position == newest.position &+ UInt64(newest.frameCount) ? nil : .droppedByNode
    }

    private static func bytes(of buffer: AudioBuffer) -> Int { buffer.samples.count * MemoryLayout<Int16>.size }

    /// Everything held, as stretches without a gap, oldest first.
    var runs: [SoundRun] {
        var runs: [SoundRun] = []
        for entry in entries {
            if let cause = entry.cause {
                runs.append(SoundRun(entry.buffer, after: cause))
            } else if runs.isEmpty {
                // What it followed has left the ring.
                runs.append(SoundRun(entry.buffer, after: .tooOld))
            } else {
                runs[runs.count - 1].append(entry.buffer)
            }
        }
        return runs
    }
}
