public import CaptureModel

/// One frame as it left the driver, with its stamps; valid until its lease is given back.
public struct CameraFrame: Sendable {
    /// What the pixel data is, by the family of the stream's pixel format; valid as long as its lease.
    public enum Payload: Sendable {
        /// A compressed image, and what the driver has behind it.
        case jpeg(FrameLease)
        /// Packed samples of luma, chroma or colours, from which a picture can be encoded.
        case planes(FrameLease)
        /// Packed samples of a sensor's colour mosaic, from which a picture can be developed.
        case mosaic(FrameLease)

        public init(_ lease: FrameLease, of format: PixelFormat) {
            self =
                switch format.family {
                case .jpeg: .jpeg(lease)
                case .packed422, .semiPlanar420, .planar420, .gray, .rgb: .planes(lease)
                case .bayer: .mosaic(lease)
                }
        }

        public var lease: FrameLease {
            get {
                switch self {
                case .jpeg(let lease), .planes(let lease), .mosaic(let lease): lease
                }
            }
            set {
                self =
                    switch self {
                    case .jpeg: .jpeg(newValue)
                    case .planes: .planes(newValue)
                    case .mosaic: .mosaic(newValue)
                    }
            }
        }
    }

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
    public var payload: Payload

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, exposure: Duration? = nil, gain: Int64? = nil,
        dequeued: LocalTime, isFlaggedErroneous: Bool = false, payload: Payload
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.isFlaggedErroneous = isFlaggedErroneous
        self.payload = payload
    }

    /// The bytes of the pixel data.
    public var lease: FrameLease {
        get { payload.lease }
        set { payload.lease = newValue }
    }
}
