/// One rig-wide trigger and all that is known of it: the content of `shot.json`, or of a take's `take.json`.
public struct Shot: Hashable, Sendable, Identifiable {
    public static let currentSchemaVersion = 2

    public var schemaVersion: Int = Shot.currentSchemaVersion
    public var id: ShotID
    /// Rises with every durable change; a late file raises it after the shot has been answered.
    public var revision: Int
    public var status: Status
    /// The instant T.
    public var time: RigTime
    /// The rig time line of `time` and of every rig time in this shot.
    public var rigClock: RigClockID
    /// The coordinator's clocks when it took the shot on; every date of the shot derives from it.
    public var wallClock: WallClockPair<RigTimeBase>
    /// The epoch of the coordinator that took the shot on.
    public var coordinatorEpoch: Epoch
    /// What the client asked for; a repeat under the same id must ask for the same.
    public var request: ShotRequest
    /// Who asked for it first; nil in manifests of versions that did not record it.
    public var triggeredBy: Principal?
    /// One entry per expected capture, in order of device id; an absent camera is one too.
    public var captures: [Capture]
    /// Present where the shot is a take.
    public var take: Take?
    /// Rig time at which the client was answered, where that was before the shot was settled; files stored later are late.
    public var answeredAt: RigTime?
    /// Rig time at which the last file was durable or given up; nil while open.
    public var settledAt: RigTime?

    public enum Status: String, Hashable, Codable, Sendable, CaseIterable {
        /// Captures or files are outstanding.
        case open
        /// Every file of every expected capture is durable in the library.
        case complete
        /// Some of what was asked for is durable, not all.
        case partial
        /// No capture has its photo.
        case failed
    }

    public init(
        id: ShotID, time: RigTime, rigClock: RigClockID, wallClock: WallClockPair<RigTimeBase>, coordinatorEpoch: Epoch,
        request: ShotRequest, triggeredBy: Principal? = nil, captures: [Capture]
    ) {
        self.id = id
        self.revision = 0
        self.status = .open
        self.time = time
        self.rigClock = rigClock
        self.wallClock = wallClock
        self.coordinatorEpoch = coordinatorEpoch
        self.request = request
        self.triggeredBy = triggeredBy
        self.captures = captures.sorted { $0.device.id < $1.device.id }
        take = request.settings.movie == nil ? nil : Take()
    }
}
