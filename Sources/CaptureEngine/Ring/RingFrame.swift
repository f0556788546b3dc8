public import CaptureModel

/// One good frame as the ring keeps it: compressed once, shared by every use; or a sensor's samples, of which a picture is
/// developed once they are the picture of a capture.
public struct RingFrame: Sendable {
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
    /// A whole JPEG image; empty of a mosaic (``PixelFamily/isMosaic``) that is not developed.
    public var jpeg: [UInt8]
    /// The samples of a mosaic; nil in other streams.
    public var raw: RawFrame?

    /// Bytes of what is kept of it.
    public var byteCount: Int { jpeg.count + (raw?.bytes.count ?? 0) }

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, exposure: Duration?, gain: Int64? = nil,
        dequeued: LocalTime,
        ready: LocalTime, jpeg: [UInt8], raw: RawFrame? = nil
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.ready = ready
        self.jpeg = jpeg
        self.raw = raw
    }
}
