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
            ("photo", photo), ("live", live), ("record", record), ("switchInput", switchInput),
            ("largerPhoto", largerPhoto), ("raw", raw), ("flash", flash),
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
