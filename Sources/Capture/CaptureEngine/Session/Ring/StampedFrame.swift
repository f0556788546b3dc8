public import CaptureModel

/// One good frame with its stamps.
public struct StampedFrame<Payload: Sendable>: Sendable {
    /// The driver's sequence number.
    public var sequence: UInt64
    /// Mid-exposure on this machine's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure`.
    public var stampBound: Duration
    /// Exposure time, where the camera tells.
    public var exposure: Duration?
    /// Gain in the units of the camera's control, where the camera tells.
    public var gain: Int64?
    /// When the frame was taken from the driver.
    public var dequeued: LocalTime
    /// When the frame was checked, encoded and ready for use.
    public var ready: LocalTime
    public var payload: Payload

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, exposure: Duration?, gain: Int64? = nil,
        dequeued: LocalTime, ready: LocalTime, payload: Payload
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.ready = ready
        self.payload = payload
    }

    /// The same frame with something else made of it.
    func with<Other: Sendable>(_ payload: Other) -> StampedFrame<Other> {
        StampedFrame<Other>(
            sequence: sequence, midExposure: midExposure, stampBound: stampBound, exposure: exposure, gain: gain,
            dequeued: dequeued, ready: ready, payload: payload)
    }
}

/// What the ring keeps of a frame: compressed once, shared by every use; or a sensor's samples, of which a picture is developed
/// once they are the picture of a capture.
public enum FramePayload: Sendable {
    /// A whole JPEG image of the stream's size.
    case jpeg([UInt8])
    case mosaic(RawFrame)
}

/// A frame as the ring keeps it.
public typealias RingFrame = StampedFrame<FramePayload>

/// A frame whose payload is a whole JPEG image.
public typealias PictureFrame = StampedFrame<[UInt8]>

extension StampedFrame<[UInt8]> {
    public var jpeg: [UInt8] { payload }
}

extension StampedFrame<FramePayload> {
    /// Bytes of what is kept of it.
    public var byteCount: Int {
        switch payload {
        case .jpeg(let bytes): bytes.count
        case .mosaic(let raw): raw.bytes.count
        }
    }

    /// The frame as a picture; nil of a mosaic, which is not developed.
    public var picture: PictureFrame? {
        if case .jpeg(let bytes) = payload { with(bytes) } else { nil }
    }

    var isMosaic: Bool {
        if case .mosaic = payload { true } else { false }
    }
}
