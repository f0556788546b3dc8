/// What is known of a device without opening it, and what its hardware reported when it was opened.
public struct DeviceDescription: Hashable, Codable, Sendable {
    public var id: DeviceID
    public var mediaType: MediaType
    public var type: DeviceType
    public var position: Position
    /// Free words that a selection can name.
    public var labels: [String]
    /// The purpose that its configuration states.
    public var purpose: String
    public var orientation: Orientation
    /// Whether left and right are exchanged in the upright picture; nil means no.
    public var mirrored: Bool?
    /// The kind of backend: `virtual`, `v4l2`, `file` or `alsa`.
    public var driver: String
    /// Make, model and serial number of the hardware, if known. Several cameras may have the same serial number.
    public var make: String?
    public var model: String?
    public var serial: String?

    public init(
        id: DeviceID, mediaType: MediaType = .video, type: DeviceType = .external, position: Position = .unspecified,
        labels: [String] = [], purpose: String = "", orientation: Orientation = .degrees0,
        mirrored: Bool? = nil, driver: String,
        make: String? = nil, model: String? = nil, serial: String? = nil
    ) {
        self.id = id
        self.mediaType = mediaType
        self.type = type
        self.position = position
        self.labels = labels
        self.purpose = purpose
        self.orientation = orientation
        self.mirrored = mirrored
        self.driver = driver
        self.make = make
        self.model = model
        self.serial = serial
    }
}

/// The type of a device as its node's configuration assigns it; an open set of words such as `wide`, `telephoto`, `external`, `microphone`.
public struct DeviceType: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let wide = DeviceType(rawValue: "wide")
    public static let external = DeviceType(rawValue: "external")
    public static let microphone = DeviceType(rawValue: "microphone")

    public var description: String { rawValue }
}

/// The phase of a free-running camera's exposures on the rig's time line.
public struct FramePhase: Hashable, Codable, Sendable {
    /// Mid-exposure of the newest good frame.
    public var midExposure: RigTime
    /// Measured time between frames, in nanoseconds of the rig's clock.
    public var periodNanoseconds: Int64
    /// The largest error of `midExposure`, in nanoseconds; nil if the agent does not report it.
    public var boundNanoseconds: Int64?
    /// How wrong `periodNanoseconds` may be by the jitter of the stamps and the rate of the clock, in nanoseconds; it adds up from frame to
    /// frame. nil if the agent does not report it.
    public var periodBoundNanoseconds: Int64?

    public init(
        midExposure: RigTime, periodNanoseconds: Int64, bound: Duration? = nil, periodBound: Duration? = nil
    ) {
        self.midExposure = midExposure
        self.periodNanoseconds = periodNanoseconds
        boundNanoseconds = bound?.nanoseconds
        periodBoundNanoseconds = periodBound?.nanoseconds
    }

    public var bound: Duration? { boundNanoseconds.map { .nanoseconds($0) } }

    /// By how much the error of the period moves the frame that is nearest to an instant: a period at most, since that frame is within half of
    /// one, wherever it is. Zero if the error is not known.
    public func drift(at time: RigTime) -> Duration {
        guard periodNanoseconds > 0, let periodBoundNanoseconds else { return .zero }
        let period = Double(periodNanoseconds)
        let frames = Double((time - midExposure).magnitude.nanoseconds) / period + 1
        return .nanoseconds(Int64(min(frames * Double(max(periodBoundNanoseconds, 0)), period)))
    }

    /// Its mid-exposures are those instants that are a multiple of the period after this one: 0 up to the period.
    public var offset: Duration {
        guard periodNanoseconds > 0 else { return .zero }
        let remainder = midExposure.nanoseconds % periodNanoseconds
        return .nanoseconds(remainder < 0 ? remainder + periodNanoseconds : remainder)
    }
}
