/// A settings transaction that cameras were told to carry out: what each was asked, and what gives it the values that it had before.
public struct PastSettings: Hashable, Sendable {
    /// The transaction at one camera.
    public struct Camera: Hashable, Sendable {
        public var device: DeviceID
        /// What it was asked; empty for a camera whose settings waited for its start, and no longer do.
        public var settings: CaptureSettings
        /// Settings that give it the values that it had before; nil if they are not known.
        public var earlier: CaptureSettings?
        /// Settings that give it the values that it had before the earlier transactions of ``PastSettings/run``; nil if there are none.
        public var beforeRun: CaptureSettings?
        /// Of the undo of a run: the transactions that are undone at the camera, the newest first. Empty for other ones.
        public var undone: [SettingsID]
        /// nil if the coordinator has ended before it was known.
        public var outcome: CameraSettingsOutcome.Word?
        /// Whether its node was not connected, so that the coordinator gives it the settings when the node joins.
        public var awaitsNode: Bool
        /// Whether an undo has found that it cannot be given its earlier values, so that no further one tries.
        public var isUndoOver: Bool

        public init(
            device: DeviceID, settings: CaptureSettings, earlier: CaptureSettings? = nil,
            outcome: CameraSettingsOutcome.Word? = nil, awaitsNode: Bool = false,
            isUndoOver: Bool = false, beforeRun: CaptureSettings? = nil, undone: [SettingsID] = []
        ) {
            self.beforeRun = beforeRun
            self.undone = undone
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
    /// The transaction that it undoes. Of a run, the newest one.
    public var undoes: SettingsID?
    /// The run that it undoes.
    public var undoesRun: SettingsRunID?
    /// The run that it is part of.
    public var run: SettingsRunID?
    /// In the order of their ids.
    public var cameras: [Camera]

    public init(
        id: SettingsID, realtimeNanoseconds: Int64, principal: String, profile: ProfileReference? = nil,
        undoes: SettingsID? = nil, undoesRun: SettingsRunID? = nil, run: SettingsRunID? = nil, cameras: [Camera]
    ) {
        self.undoesRun = undoesRun
        self.run = run
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
            let texts = [camera.settings, camera.earlier, camera.beforeRun].compactMap(\.self)
            return texts.reduce(sum + 128 + 40 * camera.undone.count) { $0 + "\($1)".utf8.count }
        }
    }
}
