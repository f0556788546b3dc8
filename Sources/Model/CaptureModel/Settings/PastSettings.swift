/// A settings transaction that cameras were told to carry out: what each was asked, and what gives it the values that it had before.
public struct PastSettings: Hashable, Sendable {
    /// The transaction at one camera.
    public struct Camera: Hashable, Sendable {
        public var device: DeviceID
        /// What it was asked; empty for a camera whose settings waited for its start, and do not any more.
        public var settings: CaptureSettings
        /// Settings that give it the values that it had before; nil if they are not known.
        public var earlier: CaptureSettings?
        /// nil if the coordinator has ended before it was known.
        public var outcome: CameraSettingsOutcome.Word?
        /// Whether its node was not connected, so that the coordinator gives it the settings when the node joins.
        public var awaitsNode: Bool
        /// Whether an undo has found that it cannot be given its earlier values, so that no further one tries.
        public var isUndoOver: Bool

        public init(
            device: DeviceID, settings: CaptureSettings, earlier: CaptureSettings? = nil,
            outcome: CameraSettingsOutcome.Word? = nil, awaitsNode: Bool = false,
            isUndoOver: Bool = false
        ) {
            self.isUndoOver = isUndoOver
            self.awaitsNode = awaitsNode
            self.device = device
            self.settings = settings
            self.earlier = earlier
            self.outcome = outcome
        }
    }

    public var id: SettingsID
    /// When the cameras were told, on the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    /// Who has requested it.
    public var principal: String
    /// The profile that was loaded, with its version.
    public var profile: ProfileReference?
    /// The transaction that it undoes.
    public var undoes: SettingsID?
    /// In the order of their ids.
    public var cameras: [Camera]

    public init(
        id: SettingsID, realtimeNanoseconds: Int64, principal: String, profile: ProfileReference? = nil,
        undoes: SettingsID? = nil, cameras: [Camera]
    ) {
        self.id = id
        self.realtimeNanoseconds = realtimeNanoseconds
        self.principal = principal
        self.profile = profile
        self.undoes = undoes
        self.cameras = cameras
    }

    /// About how many bytes it takes in a file or message.
    public var textByteCount: Int {
        cameras.reduce(256) { sum, camera in
            sum + 128 + "\(camera.settings)".utf8.count + (camera.earlier.map { "\($0)".utf8.count } ?? 0)
        }
    }
}
