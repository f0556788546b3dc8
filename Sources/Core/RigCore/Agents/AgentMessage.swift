package import CaptureModel
package import Journal

/// A message of an agent that has joined. Everything that a message names belongs to its node.
package enum AgentMessage: Sendable {
    case heartbeat(AgentHeartbeat)
    /// The answer to ``AgentOrder/prepare(_:)`` for one device: what its photo will be, or why it is not armed.
    case prepared(CaptureKey, Result<ResolvedPhotoSettings, RigProblem>)
    case captured(CaptureReport)
    /// A capture that was armed and will not be made.
    case missed(CaptureKey, RigProblem)
    case events(ReceivedEvents)
    case deviceAnswer(DeviceAnswer)
    case inventory(InventoryPage)
}

/// The status of a node, sent at every interval.
package struct AgentHeartbeat: Sendable {
    /// All devices of the node; empty if nothing has changed.
    package var devices: [DeviceStatus]
    /// The time line of the bound and of the devices' phases; nil if the agent does not report it.
    package var rigClock: RigClockID?
    /// nil unless its clock is synchronized.
    package var clockBound: Duration?
    package var ringDepth: Duration
    package var spoolUsedBytes: Int64
    package var spoolFreeBytes: Int64
    package var frames: FramesStatus?
    package var pressure: SystemPressure?
    /// Why the spool has no room for another photo; nil if it has room.
    package var spoolShortage: String?

    package init(
        devices: [DeviceStatus] = [], rigClock: RigClockID? = nil, clockBound: Duration? = nil, ringDepth: Duration,
        spoolUsedBytes: Int64,
        spoolFreeBytes: Int64, frames: FramesStatus? = nil, pressure: SystemPressure? = nil,
        spoolShortage: String? = nil
    ) {
        self.devices = devices
        self.rigClock = rigClock
        self.clockBound = clockBound
        self.ringDepth = ringDepth
        self.spoolUsedBytes = spoolUsedBytes
        self.spoolFreeBytes = spoolFreeBytes
        self.frames = frames
        self.pressure = pressure
        self.spoolShortage = spoolShortage
    }
}

/// Events of a node, in the order in which they happened.
package struct ReceivedEvents: Sendable {
    /// One event. Its position is known even if the rest cannot be read.
    package struct Entry: Sendable {
        package var position: EventPosition
        /// The event, or why it is not valid.
        package var event: Result<RigEvent, RigProblem>

        package init(position: EventPosition, event: Result<RigEvent, RigProblem>) {
            self.position = position
            self.event = event
        }
    }

    /// The last event of the previous batch; nil for the first batch after a hello.
    package var follows: EventPosition?
    package var entries: [Entry]

    package init(follows: EventPosition? = nil, entries: [Entry]) {
        self.follows = follows
        self.entries = entries
    }
}

/// Why a message, or a part of it, was not accepted or not believed although its fields are valid. The channel counts it.
package enum AgentFault: Hashable, Sendable, CustomStringConvertible {
    /// The report counts, and its shot says what is wrong.
    case wrongClaims(CaptureKey, [DoubtedClaim])
    /// Events arrived, but some before them did not. The node is asked for a hello.
    case missingEvents(NodeName)

    package var description: String {
        switch self {
        case .wrongClaims(let key, let claims):
            "the report of \(key) claims what cannot be true: \(claims.map(\.reason).joined(separator: "; "))"
        case .missingEvents(let node): "events of node '\(node)' after others that have not arrived"
        }
    }
}
