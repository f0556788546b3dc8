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

/// The state of a device, as its node last reported it.
public struct DeviceCondition: Hashable, Codable, Sendable {
    /// The states of a device.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// Being opened, or no good frame has arrived since the start.
        case starting
        /// Streaming good frames.
        case running
        /// Open, but no frame has arrived for longer than the watchdog allows, or since the machine or the process stood still.
        case stalled
        /// Not present: unplugged, or its device node does not exist.
        case absent
        /// Held by another program (`EBUSY`).
        case busy
        /// This process may not open it (`EACCES`, `EPERM`).
        case denied
        /// Closed: it was stopped, it is on standby and nothing needs it, or its node is overloaded.
        case stopped
        /// Any other failure; the reason describes it.
        case failed
        /// Unknown: the node's agent is not connected.
        case unreachable
        /// The node's agent does not have it: its configuration does not name it, or has it disabled.
        case notConfigured
    }

    public var state: State
    /// A sentence that says why and what to do; nil while it runs as its format says. A camera that runs at a lower rate
    /// has one.
    public var reason: String?
    /// The format of its stream, once it runs.
    public var format: VideoFormat?
    /// Frames since the session began, by outcome.
    public var counters: FrameCounters
    /// When the last good frame was exposed and the measured interval, to predict the phase; nil before two frames.
    public var phase: FramePhase?
    /// The condition of its session; nil if the node does not report it or is not connected.
    public var session: SessionCondition?

    public init(
        state: State, reason: String? = nil, format: VideoFormat? = nil, counters: FrameCounters = .init(),
        phase: FramePhase? = nil, session: SessionCondition? = nil
    ) {
        self.state = state
        self.reason = reason
        self.format = format
        self.counters = counters
        self.phase = phase
        self.session = session
    }

    /// The time from frame to frame: what its format states, or what was measured if that is longer; nil if it does not
    /// stream.
    public var frameInterval: Duration? {
        guard let format else { return nil }
        let measured = Duration.nanoseconds(phase?.periodNanoseconds ?? 0)
        return format.isSlower(measured) ? measured : format.frameInterval
    }

    /// Whether the device can be asked for a capture.
    public var isUsable: Bool { state == .running }

    /// Why it is closed, if somebody wants it so: it was stopped by command, or is on standby and nothing needs it. nil if it runs,
    /// should run, or its node is not connected.
    public var deliberateStop: String? {
        guard state == .stopped, let session else { return nil }
        switch session.phase {
        case .stopped where session.isHeld || session.demands.isEmpty: return reason ?? "it is stopped"
        case .stopping where session.isHeld: return reason ?? "it is being stopped"
        default: return nil
        }
    }
}

/// A device with its condition, as in the hello, the heartbeat and the list of devices.
public struct DeviceStatus: Hashable, Codable, Sendable {
    public var device: DeviceDescription
    public var condition: DeviceCondition

    public init(device: DeviceDescription, condition: DeviceCondition) {
        self.device = device
        self.condition = condition
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

/// Frames of a session by outcome; every loss has a counter.
public struct FrameCounters: Hashable, Codable, Sendable {
    /// Good frames that reached the ring.
    public var delivered: UInt64 = 0
    /// Frames that the driver never delivered, by the gaps in its sequence numbers.
    public var droppedByDevice: UInt64 = 0
    /// Frames with the driver's error flag set.
    public var flaggedErroneous: UInt64 = 0
    /// Frames that are not a complete picture of the stream's size.
    public var torn: UInt64 = 0
    /// Frames dropped because the node was too slow to read or encode them.
    public var droppedByNode: UInt64 = 0
    /// Times the stream stalled for longer than the watchdog allows.
    public var stalls: UInt64 = 0
    /// Pictures after whose end the camera sent further bytes, which were dropped.
    public var trimmed: UInt64 = 0
    /// Delivered pictures whose image data is not whole, such as a lost restart interval.
    public var damaged: UInt64 = 0

    public init() {}

    /// Adds the counts of another stream of the same session.
    public mutating func add(_ other: FrameCounters) {
        delivered &+= other.delivered
        droppedByDevice &+= other.droppedByDevice
        flaggedErroneous &+= other.flaggedErroneous
        torn &+= other.torn
        droppedByNode &+= other.droppedByNode
        stalls &+= other.stalls
        trimmed &+= other.trimmed
        damaged &+= other.damaged
    }
}

/// The phase of a free-running camera's exposures on the rig's time line.
public struct FramePhase: Hashable, Codable, Sendable {
    /// Mid-exposure of the newest good frame.
    public var midExposure: RigTime
    /// Measured time between frames, in nanoseconds.
    public var periodNanoseconds: Int64

    public init(midExposure: RigTime, periodNanoseconds: Int64) {
        self.midExposure = midExposure
        self.periodNanoseconds = periodNanoseconds
    }
}

/// What a device delivers, in AVFoundation's words.
public enum MediaType: String, Hashable, Codable, Sendable, CaseIterable {
    case video
    case audio
}

/// The clockwise angle by which the stored picture must be turned to be upright.
public enum Orientation: Int, Hashable, Codable, Sendable, CaseIterable {
    case degrees0 = 0
    case degrees90 = 90
    case degrees180 = 180
    case degrees270 = 270

    /// Returns the value of the EXIF tag Orientation (0x0112).
    /// - Parameter isMirrored: Whether left and right are exchanged in the upright picture.
    public func exifValue(isMirrored: Bool) -> Int {
        switch self {
        case .degrees0: isMirrored ? 2 : 1
        case .degrees90: isMirrored ? 5 : 6
        case .degrees180: isMirrored ? 4 : 3
        case .degrees270: isMirrored ? 7 : 8
        }
    }
}

/// The position of a device on the rig, as its node's configuration states it: any label, such as `left`, `top` or `A1`.
public struct Position: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No position stated. In a selection, it matches any position.
    public static let unspecified = Position(rawValue: "unspecified")

    public var description: String { rawValue }
}
