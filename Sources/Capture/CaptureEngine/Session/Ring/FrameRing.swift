public import CaptureModel
import DequeModule

/// The last seconds of one camera, by time, within a number of bytes; frames pinned for a shot stay.
///
/// A frame leaves when it is older than `depth` before the newest one, or when the bytes run out, oldest first. A frame
/// inside the window of a pin does not leave. When pinned frames alone fill the ring, a frame that comes in is refused.
public struct FrameRing: Sendable {
    /// How much time the ring holds, at most.
    public let depth: Duration
    /// How many bytes of images and samples the ring holds, at most.
    public let byteLimit: Int
    /// Bytes of images and samples held.
    public private(set) var byteCount = 0
    private var frames: Deque<RingFrame> = []
    private var pins: [CaptureKey: ClosedRange<LocalTime>] = [:]

    public init(depth: Duration, byteLimit: Int) {
        self.depth = depth
        self.byteLimit = byteLimit
    }

    public var count: Int { frames.count }
    public var oldest: RingFrame? { frames.first }
    public var newest: RingFrame? { frames.last }

    /// Keeps a frame, which must be younger than all before it; makes room first.
    /// - Returns: false when there is no room, because the ring is full of pinned frames, or when the frame is not the
    ///   youngest. Then nothing has changed but that unpinned old frames may have left.
    public mutating func append(_ frame: RingFrame) -> Bool {
        if let newest, frame.midExposure <= newest.midExposure { return false }
        discardUnpinned(before: frame.midExposure - depth)
        while byteCount + frame.byteCount > byteLimit {
            guard discardOldestUnpinned() else { return false }
        }
        frames.append(frame)
        byteCount += frame.byteCount
        return true
    }

    /// The frames whose mid-exposure lies in `window`, oldest first.
    public func frames(in window: ClosedRange<LocalTime>) -> [RingFrame] {
        frames.filter { window.contains($0.midExposure) }
    }

    /// The longest time a frame of the ring took from its mid-exposure until it was ready; zero for an empty ring.
    public var longestDelivery: Duration {
        frames.map { $0.ready - $0.midExposure }.max() ?? .zero
    }

    /// Holds the frames of `window`, those here and those to come, until ``unpin(_:)``.
    public mutating func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>) {
        pins[key] = window
    }

    /// Ends a pin; harmless where there is none.
    public mutating func unpin(_ key: CaptureKey) {
        pins[key] = nil
    }

    /// Forgets every frame, as when the stream restarts; pins stay and hold what comes.
    public mutating func removeAll() {
        frames.removeAll()
        byteCount = 0
    }

    /// Bytes of its frames, one with another; 0 for an empty ring.
    public var meanByteCount: Int { byteCount / max(count, 1) }

    /// How much time all pins hold together, and one more with this window.
    public func pinnedTime(with window: ClosedRange<LocalTime>? = nil) -> Duration {
        var total = Duration.zero
        var end: LocalTime?
        for pin in (Array(pins.values) + [window].compactMap(\.self)).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = end.map { max($0, pin.lowerBound) } ?? pin.lowerBound
            if pin.upperBound > start { total += pin.upperBound - start }
            end = end.map { max($0, pin.upperBound) } ?? pin.upperBound
        }
        return total
    }

    private func isPinned(_ frame: RingFrame) -> Bool {
        pins.values.contains { $0.contains(frame.midExposure) }
    }

    private mutating func discardUnpinned(before limit: LocalTime) {
        while let index = frames.firstIndex(where: { !isPinned($0) }), frames[index].midExposure < limit {
            byteCount -= frames.remove(at: index).byteCount
        }
    }

    private mutating func discardOldestUnpinned() -> Bool {
        guard let index = frames.firstIndex(where: { !isPinned($0) }) else { return false }
        byteCount -= frames.remove(at: index).byteCount
        return true
    }
}
