/// A node as the coordinator sees it.
public struct NodeStatus: Hashable, Sendable {
    public var node: NodeName
    public var isConnected: Bool
    /// Largest error of the node's rig time; nil unless it is connected and synchronized.
    public var clockBound: Duration?
    /// How far back T may reach into the node's frames.
    public var ringDepth: Duration
    public var spoolUsedBytes: Int64
    public var spoolFreeBytes: Int64
    public var devices: Int
    public var devicesRunning: Int
    /// The agent's version.
    public var software: String
    /// The agent's build of libzmq; nil while the node is away, and where the agent does not tell.
    public var busLibrary: BusLibrary?
    /// Rig time of its last message; nil where there was none since the coordinator started.
    public var lastHeard: RigTime?
    /// The node's frames channel; nil while the node is away or has none.
    public var frames: FramesStatus?
    /// How overloaded or hot its machine is; nil while the node is away, and where it does not tell.
    public var pressure: SystemPressure?
    /// Why its spool has no room for another photo; nil where it has.
    public var spoolShortage: String?

    public init(
        node: NodeName, isConnected: Bool, clockBound: Duration? = nil, ringDepth: Duration,
        spoolUsedBytes:
            Int64, spoolFreeBytes: Int64, devices: Int, devicesRunning: Int, software: String,
        busLibrary:
            BusLibrary? = nil, lastHeard: RigTime? = nil, frames: FramesStatus? = nil,
        pressure: SystemPressure? =
            nil, spoolShortage: String? = nil
    ) {
        self.node = node
        self.isConnected = isConnected
        self.clockBound = clockBound
        self.ringDepth = ringDepth
        self.spoolUsedBytes = spoolUsedBytes
        self.spoolFreeBytes = spoolFreeBytes
        self.devices = devices
        self.devicesRunning = devicesRunning
        self.software = software
        self.busLibrary = busLibrary
        self.lastHeard = lastHeard
        self.frames = frames
        self.pressure = pressure
        self.spoolShortage = spoolShortage
    }
}
