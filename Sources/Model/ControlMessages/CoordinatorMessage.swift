public import CaptureModel
public import RigSecurity

/// A message of the coordinator to a node, on the control channel.
public enum CoordinatorMessage: Hashable, Sendable {
    /// The answer to a hello: the node is part of the rig.
    case welcome(Welcome)
    /// The answer to a hello: the node may not join.
    case refused(RigProblem)
    /// The answer to a heartbeat, with its number.
    case heartbeatAcknowledged(sequence: UInt64)
    /// The coordinator's key, with which the node connects from then on.
    case coordinatorKey(PublicKey)
    case viewers(AdmittedViewers)
    case order(NodeOrder)
}

/// The contents of a welcome: where the other channels are, and how liveness is kept.
public struct Welcome: Hashable, Sendable {
    /// The rig time line. The node learns it from the clock channel.
    public var rigClock: RigClockID
    public var clockPort: UInt16
    public var collectPort: UInt16
    public var heartbeatInterval: Duration
    /// The time without messages after which either side counts the other as gone.
    public var heartbeatTimeout: Duration

    public init(
        rigClock: RigClockID, clockPort: UInt16, collectPort: UInt16, heartbeatInterval: Duration,
        heartbeatTimeout: Duration
    ) {
        self.rigClock = rigClock
        self.clockPort = clockPort
        self.collectPort = collectPort
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
    }
}

/// Who may watch and listen on a node's frames channel, at one revision of the rig's keys.
public struct AdmittedViewers: Hashable, Sendable {
    public var revision: UInt64
    public var holders: [KeyHolder]

    public init(revision: UInt64, holders: [KeyHolder]) {
        self.revision = revision
        self.holders = holders
    }
}
