public import CaptureModel

/// The status of a node, sent at intervals.
public struct NodeHeartbeat: Hashable, Sendable {
    /// Increases by one per heartbeat of a membership.
    public var sequence: UInt64
    /// All devices of the node; empty if none has changed after the last report.
    public var devices: [DeviceStatus]
    /// The rig time line of the bound and of the devices' phases; nil before the first estimate.
    public var rigClock: RigClockID?
    /// The error bound of the node's estimate of rig time; nil before the first estimate.
    public var clockBound: Duration?
    /// How the agent knows rig time; nil before the first estimate.
    public var clock: ClockStatus?
    /// How far back T may reach.
    public var ringDepth: Duration
    /// 0 before the first reading.
    public var spoolUsedBytes: Int64
    public var spoolFreeBytes: Int64
    /// nil if the agent has no frames channel.
    public var frames: FramesStatus?
    /// nil before the first reading, and if the machine does not report it.
    public var pressure: SystemPressure?
    /// Why the spool has no room for another photo; nil if it has room.
    public var spoolShortage: String?

    public init(
        sequence: UInt64 = 0, devices: [DeviceStatus] = [], rigClock: RigClockID? = nil, clockBound: Duration? = nil,
        clock: ClockStatus? = nil, ringDepth: Duration, spoolUsedBytes: Int64 = 0, spoolFreeBytes: Int64 = 0,
        frames: FramesStatus? = nil,
        pressure: SystemPressure? = nil, spoolShortage: String? = nil
    ) {
        self.sequence = sequence
        self.devices = devices
        self.rigClock = rigClock
        self.clockBound = clockBound
        self.clock = clock
        self.ringDepth = ringDepth
        self.spoolUsedBytes = spoolUsedBytes
        self.spoolFreeBytes = spoolFreeBytes
        self.frames = frames
        self.pressure = pressure
        self.spoolShortage = spoolShortage
    }
}
