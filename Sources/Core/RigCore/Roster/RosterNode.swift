package import CaptureModel

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
package struct ConnectedAgent: Sendable {
    package var epoch: Epoch
    package var bootID: String
    package var software: String
    package var ringDepth: Duration
    package var clockBound: Duration?
    package var spoolUsedBytes: Int64
    package var spoolFreeBytes: Int64
    /// nil where the agent does not tell.
    package var busLibrary: BusLibrary?
    /// nil where the agent has no frames channel.
    package var frames: FramesStatus?
    /// nil where the machine does not tell, and before the first heartbeat.
    package var pressure: SystemPressure?
    /// Why the spool has no room for another photo; nil where it has.
    package var spoolShortage: String?

    package init(
        epoch: Epoch, bootID: String, software: String, ringDepth: Duration, clockBound: Duration? = nil,
        spoolUsedBytes: Int64 = 0, spoolFreeBytes: Int64 = 0, busLibrary: BusLibrary? = nil,
        frames: FramesStatus? = nil
    ) {
        self.epoch = epoch
        self.bootID = bootID
        self.software = software
        self.ringDepth = ringDepth
        self.clockBound = clockBound
        self.spoolUsedBytes = spoolUsedBytes
        self.spoolFreeBytes = spoolFreeBytes
        self.busLibrary = busLibrary
        self.frames = frames
    }
}
