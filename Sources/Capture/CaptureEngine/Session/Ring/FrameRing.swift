public import CaptureModel
import DequeModule

/// The last seconds of one camera's frames, by time, within a number of bytes. Frames pinned for a shot stay.
///
/// A frame is dropped when it is older than `depth` before the newest one, or when the bytes run out, oldest first. A
/// frame inside the window of a pin is not dropped. If pinned frames alone fill the ring, a new frame is refused.
public struct FrameRing: Sendable {
    /// Limit on the time span of the ring.
    public let depth: Duration
    /// Limit on the bytes of images and samples in the ring.
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

    /// Adds a frame, which must be younger than all earlier ones. Makes room first.
    /// - Returns: false if there is no room, because the ring is full of pinned frames, or if the frame is not the
    ///   youngest. Then nothing has changed, except that unpinned old frames may have been dropped.
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

    /// Returns the frames whose mid-exposure is in `window`, oldest first.
    public func frames(in window: ClosedRange<LocalTime>) -> [RingFrame] {
        frames.filter { window.contains($0.midExposure) }
    }

    /// The longest time that a frame of the ring took from its mid-exposure until it was ready; zero for an empty ring.
    public var longestDelivery: Duration {
        frames.map { $0.ready - $0.midExposure }.max() ?? .zero
    }

    /// Holds the present and later frames of `window` until ``unpin(_:)``.
    public mutating func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>) {
        pins[key] = window
    }

    /// Ends a pin. Does nothing if there is none.
    public mutating func unpin(_ key: CaptureKey) {
        pins[key] = nil
    }

    /// Removes every frame, for example when the stream restarts. Pins stay and hold later frames.
    public mutating func removeAll() {
        frames.removeAll()
        byteCount = 0
    }

    /// The mean bytes of its frames; 0 for an empty ring.
    public var meanByteCount: Int { byteCount / max(count, 1) }

    /// Returns the total time that all pins cover, and this window in addition.
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

/// One good frame with its stamps.
public struct StampedFrame<Payload: Sendable>: Sendable {
    /// The driver's sequence number.
    public var sequence: UInt64
    /// Mid-exposure on this machine's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure`.
    public var stampBound: Duration
    /// What its stamp was; nil if all of the camera's are of one origin.
    public var stampOrigin: StampOrigin?
    /// Whether `midExposure` is a stamp with a measured correction, whose uncertainty is part of `stampBound`.
    public var isCorrected: Bool
    /// Exposure time, if the camera reports it.
    public var exposure: Duration?
    /// Gain in the units of the camera's control, if the camera reports it.
    public var gain: Int64?
    /// When the frame was taken from the driver.
    public var dequeued: LocalTime
    /// When the frame was checked, encoded and ready for use.
    public var ready: LocalTime
    /// Why the image data is not whole, as a sentence; nil if it is.
    public var damage: String?
    public var payload: Payload

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, stampOrigin: StampOrigin? = nil,
        isCorrected: Bool = false, exposure: Duration?, gain: Int64? = nil, dequeued: LocalTime, ready: LocalTime,
        damage: String? = nil, payload: Payload
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.stampOrigin = stampOrigin
        self.isCorrected = isCorrected
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.ready = ready
        self.damage = damage
        self.payload = payload
    }

    /// Returns the same frame with another payload.
    func with<Other: Sendable>(_ payload: Other) -> StampedFrame<Other> {
        StampedFrame<Other>(
            sequence: sequence, midExposure: midExposure, stampBound: stampBound, stampOrigin: stampOrigin,
            isCorrected: isCorrected, exposure: exposure, gain: gain, dequeued: dequeued, ready: ready,
            damage: damage, payload: payload)
    }
}

/// The ring's data of a frame: compressed once and shared by every use; or a sensor's samples, from which a picture is
/// developed only for a capture.
public enum FramePayload: Sendable {
    /// A JPEG image of the stream's size that any reader can open: with Huffman tables and an end marker, and nothing after it.
    case jpeg([UInt8])
    case mosaic(RawFrame)
}

/// A frame whose payload is a complete JPEG image.
public typealias PictureFrame = StampedFrame<[UInt8]>

extension StampedFrame<[UInt8]> {
    public var jpeg: [UInt8] { payload }
}

extension StampedFrame<FramePayload> {
    /// Bytes of the payload.
    public var byteCount: Int {
        switch payload {
        case .jpeg(let bytes): bytes.count
        case .mosaic(let raw): raw.bytes.count
        }
    }

    /// The frame as a picture; nil for a mosaic, which is not developed.
    public var picture: PictureFrame? {
        if case .jpeg(let bytes) = payload { with(bytes) } else { nil }
    }

    var isMosaic: Bool {
        if case .mosaic = payload { true } else { false }
    }
}
