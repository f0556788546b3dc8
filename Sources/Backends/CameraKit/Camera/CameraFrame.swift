public import CaptureModel

/// One frame as it left the driver, with its stamps; valid until its lease is given back.
public struct CameraFrame: Sendable {
    /// The driver's sequence number, widened so that it never wraps.
    public var sequence: UInt64
    /// Mid-exposure on this machine's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure` against the true mid-exposure, as far as driver and configuration tell.
    public var stampBound: Duration
    /// Exposure time, where the camera tells.
    public var exposure: Duration?
    /// Gain in the units of the camera's control, where the camera tells.
    public var gain: Int64?
    /// When the frame was taken from the driver.
    public var dequeued: LocalTime
    /// Whether the driver flagged the frame as erroneous (`V4L2_BUF_FLAG_ERROR`).
    public var isFlaggedErroneous: Bool
    /// The pixel data, in the stream's pixel format.
    public var lease: FrameLease

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, exposure: Duration? = nil, gain: Int64? = nil,
        dequeued: LocalTime,
        isFlaggedErroneous: Bool = false, lease: FrameLease
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.isFlaggedErroneous = isFlaggedErroneous
        self.lease = lease
    }
}
