import CaptureModel
import RigWire

/// What the coordinator knows of one node: what it persists, and what its living agent last said.
struct RosterNode: Sendable {
    /// Every device the node has ever shown and nobody has forgotten, with its newest condition.
    var devices: [DeviceName: RosterDevice] = [:]
    /// The agent that speaks for the node, while one is connected.
    var agent: ConnectedAgent?
    /// When the last message of the node came; nil where there was none since the coordinator started.
    var lastHeard: LocalTime?
    /// The life of the agent that spoke last, connected or not.
    var lastEpoch: Epoch?
}

/// A device of the roster.
struct RosterDevice: Sendable {
    var description: DeviceDescription
    var condition: DeviceCondition
}

/// One life of an agent, as its hello and heartbeats describe it.
struct ConnectedAgent: Sendable {
    var epoch: Epoch
    var bootID: String
    var software: String
    var ringDepth: Duration
    var clockBound: Duration?
    var spoolUsedBytes: Int64
    var spoolFreeBytes: Int64
    /// nil where the agent does not tell.
    var busLibrary: BusLibrary?
    /// nil where the agent has no frames channel.
    var frames: FramesStatus?
    /// nil where the machine does not tell, and before the first heartbeat.
    var pressure: SystemPressure?
    /// Why the spool has no room for another photo; nil where it has.
    var spoolShortage: String?
}
