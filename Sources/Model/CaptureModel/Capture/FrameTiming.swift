/// When the frame of a capture was exposed, and how exactly that is known.
public struct FrameTiming: Hashable, Codable, Sendable {
    /// The driver's sequence number of the frame.
    public var sequence: UInt64
    /// Mid-exposure on the node's clock.
    public var localMidExposure: LocalTime
    /// Mid-exposure on the rig's time line. The bound covers the clock, the timestamp, and an exposure time
    /// that was being changed.
    public var midExposure: BoundedRigTime
    /// Mid-exposure minus T, in nanoseconds; its bound is `midExposure.boundNanoseconds`.
    public var skewNanoseconds: Int64
    /// Exposure time in nanoseconds, if the camera reports it, and not while it was being changed.
    public var exposureNanoseconds: Int64?
    /// When the frame was dequeued from the driver, on the rig's time line.
    public var dequeued: RigTime
    /// The settings of the frame; nil if no transaction has made them.
    public var settings: FrameSettings?
    /// What its camera's stamps are, from which mid-exposure follows; nil if that is not known, and in reports of earlier
    /// versions.
    public var stampOrigin: StampOrigin?
    /// The part of the bound of `midExposure` that is the same error for all cameras that name the same measurement; nil if that is not
    /// known, and in reports of earlier versions.
    public var sharedError: SharedError?

    public init(
        sequence: UInt64, localMidExposure: LocalTime, midExposure: BoundedRigTime, skewNanoseconds: Int64,
        exposureNanoseconds: Int64? = nil, dequeued: RigTime, settings: FrameSettings? = nil,
        stampOrigin: StampOrigin? = nil, sharedError: SharedError? = nil
    ) {
        self.sequence = sequence
        self.localMidExposure = localMidExposure
        self.midExposure = midExposure
        self.skewNanoseconds = skewNanoseconds
        self.exposureNanoseconds = exposureNanoseconds
        self.dequeued = dequeued
        self.settings = settings
        self.stampOrigin = stampOrigin
        self.sharedError = sharedError
    }

    private enum CodingKeys: String, CodingKey {
        case sequence = "sequence"
        case localMidExposure = "localMidExposure"
        case midExposure = "midExposure"
        case skewNanoseconds = "skewNanoseconds"
        case exposureNanoseconds = "exposureNanoseconds"
        case dequeued = "dequeued"
        case settings = "settings"
        case stampOrigin = "stampOrigin"
        case sharedError = "sharedError"
    }
}
