/// The operations that a session currently allows: the buttons of a camera application, with the reason why one is disabled.
public struct SessionAbilities: Hashable, Codable, Sendable {
    /// One button.
    public struct Ability: Hashable, Codable, Sendable {
        public var isAllowed: Bool
        /// A sentence that says why it is not allowed; nil if it is.
        public var reason: String?

        public init(isAllowed: Bool, reason: String? = nil) {
            self.isAllowed = isAllowed
            self.reason = reason
        }

        public static let allowed = Ability(isAllowed: true)

        public static func refused(_ reason: String) -> Ability { Ability(isAllowed: false, reason: reason) }
    }

    /// Take a photo.
    public var photo: Ability
    /// Take a Live Photo.
    public var live: Ability
    /// Record a movie.
    public var record: Ability
    /// Replace the camera by another one.
    public var switchInput: Ability
    /// Take a photo that is larger than the stream's frames.
    public var largerPhoto: Ability
    /// Store the sensor's samples.
    public var raw: Ability
    /// Light the scene for a photo.
    public var flash: Ability

    public init(
        photo: Ability = .refused("the state of the session is not known yet"),
        live: Ability = .refused("the state of the session is not known yet"),
        record: Ability = .refused("the state of the session is not known yet"),
        switchInput: Ability = .refused("the state of the session is not known yet"),
        largerPhoto: Ability = .refused("the state of the session is not known yet"),
        raw: Ability = .refused("the state of the session is not known yet"),
        flash: Ability = .refused("the state of the session is not known yet")
    ) {
        self.photo = photo
        self.live = live
        self.record = record
        self.switchInput = switchInput
        self.largerPhoto = largerPhoto
        self.raw = raw
        self.flash = flash
    }

    /// Each ability with its name, in order.
    public var all: [(name: String, ability: Ability)] {
        [
            ("photo", photo), ("live", live), ("record", record), ("switch", switchInput), ("largerPhoto", largerPhoto),
            ("raw", raw), ("flash", flash),
        ]
    }
}

/// How much a camera's scene must change to be reported.
public struct SceneChangeSettings: Hashable, Codable, Sendable {
    /// The allowed thresholds.
    public static let thresholds = 1...255
    /// Half of the difference that 50 % more light makes to the virtual camera's scene, which is about 45.
    public static let defaultThreshold = 24

    /// The average difference in luma of the picture's twelve parts at which the scene has changed, of 255.
    public var threshold: Int

    /// - Parameter threshold: Clamped to ``thresholds``.
    public init(threshold: Int = defaultThreshold) {
        self.threshold = min(max(threshold, Self.thresholds.lowerBound), Self.thresholds.upperBound)
    }
}

/// The cost of a camera to its node while it runs, estimated from its format before it starts; `docs/design/session.md`
/// describes the estimate.
public struct SessionCost: Hashable, Codable, Sendable {
    /// Bytes per second from camera to node.
    public var streamBytesPerSecond: Int64
    /// Bytes of memory that the ring needs for its full depth.
    public var ringBytes: Int64
    /// Bytes of memory that the ring may use. If it needs more, its depth is shorter.
    public var ringLimitBytes: Int64
    /// Share of one processor core for encoding, in thousandths; 0 if the camera compresses.
    public var encodePermille: Int
    /// The camera's USB bus; nil for other cameras, and before the camera was first opened.
    public var bus: USBBus?

    /// A USB bus, which cameras share.
    public struct USBBus: Hashable, Codable, Sendable {
        /// The kernel's number of the bus.
        public var number: Int
        /// Bytes per second of the bus that periodic transfers, such as a camera's, may use. USB reserves 20 % of a
        /// high-speed bus and 10 % of others for other transfers.
        public var limitBytesPerSecond: Int64

        public init(number: Int, limitBytesPerSecond: Int64) {
            self.number = number
            self.limitBytesPerSecond = limitBytesPerSecond
        }
    }

    public init(
        streamBytesPerSecond: Int64, ringBytes: Int64, ringLimitBytes: Int64, encodePermille: Int, bus: USBBus? = nil
    ) {
        self.streamBytesPerSecond = streamBytesPerSecond
        self.ringBytes = ringBytes
        self.ringLimitBytes = ringLimitBytes
        self.encodePermille = encodePermille
        self.bus = bus
    }

    /// A sentence for each cost that alone exceeds a limit.
    public var warnings: [String] {
        var warnings: [String] = []
        if ringBytes > ringLimitBytes, ringBytes > 0 {
            let percent = Int(Double(ringLimitBytes) / Double(ringBytes) * 100)
            warnings.append("its share of ring.memory holds about \(percent) % of ring.depth")
        }
        if encodePermille > 1000 {
            warnings.append("encoding needs more than one processor core; frames will be dropped")
        }
        if let bus, streamBytesPerSecond > bus.limitBytesPerSecond {
            warnings.append("its stream is more than USB bus \(bus.number) carries")
        }
        return warnings
    }
}

/// A reason for a session to run; an open set of words. A session runs while there is a demand and it is not stopped by command.
public struct SessionDemand: RawRepresentable, Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The configuration keeps the camera running.
    public static let standby = SessionDemand(rawValue: "standby")
    /// It was started by command.
    public static let command = SessionDemand(rawValue: "command")
    /// A viewer is subscribed to the picture.
    public static let preview = SessionDemand(rawValue: "preview")
    /// Clips of a camera use its sound.
    public static let clips = SessionDemand(rawValue: "clips")
    /// A listener is subscribed to the sound.
    public static let listening = SessionDemand(rawValue: "listening")

    public var description: String { rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The format that a session requests from its camera, after AVFoundation's `AVCaptureSession.Preset`.
public enum SessionPreset: String, Hashable, Codable, Sendable, CaseIterable {
    /// The largest stills that the camera offers, at any rate.
    case photo
    /// The largest pictures that the camera offers at the rate of the input, 30 frames per second by default.
    case high
    /// The largest pictures with at most a quarter of the pixels of `high`, at the same rate; else the smallest.
    case medium
    /// The largest pictures with at most a sixteenth of the pixels of `high`, at the same rate; else the smallest.
    case low
    /// The format that the input states.
    case inputPriority
}

/// The condition of a device's session after a command.
public struct SessionResult: Hashable, Sendable {
    /// The device that is the session's input; after a switch, the replacement.
    public var device: DeviceID
    public var condition: DeviceCondition
    /// A sentence for each change that a command made to the outputs' options, and for each thing that it cut off.
    public var changes: [String]

    public init(device: DeviceID, condition: DeviceCondition, changes: [String] = []) {
        self.device = device
        self.condition = condition
        self.changes = changes
    }
}

/// Whether a camera runs while nothing needs it.
public enum StandbyPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// It runs as long as its session serves, so that a shot can be taken, and reach back, at any time.
    case always
    /// It runs while there is a demand: it was started by command, or a viewer is subscribed. Otherwise it is closed,
    /// and shots are refused before T with that reason.
    case onDemand
}
