public import CaptureModel

/// A settings transaction that cameras were, or may have been, told to carry out, or that has ended without that.
public struct CommittedSettings: Hashable, Sendable {
    public var id: SettingsID
    /// The time line of ``time``.
    public var rigClock: RigClockID
    /// T; nil if the coordinator ended before every camera had its outcome.
    public var time: RigTime?
    public var state: State
    /// What the next run needs for ending it; nil unless it is ``State/committed``.
    public var open: Open?

    /// A request that has no report yet.
    public struct Open: Hashable, Sendable {
        public var request: SettingsRequest
        public var principal: Principal
        /// The selected cameras, in the order of the selection.
        public var cameras: [DeviceID]

        public init(_ request: SettingsRequest, by principal: Principal, cameras: [DeviceID]) {
            self.request = request
            self.principal = principal
            self.cameras = cameras
        }
    }
    /// What cameras were asked, and what undoes it; nil if none was told to set, or it is too old.
    public var past: PastSettings?

    public enum State: String, Hashable, Codable, Sendable {
        /// Cameras were told to set, or were about to be.
        case committed
        /// Every camera has its outcome, so that nothing more is set or undone.
        case ended
        /// No camera was told to set.
        case refused
    }

    public init(
        id: SettingsID, rigClock: RigClockID, time: RigTime? = nil, state: State = .committed, open: Open? = nil,
        past: PastSettings? = nil
    ) {
        self.past = past
        self.id = id
        self.rigClock = rigClock
        self.time = time
        self.state = state
        self.open = open
    }
}
