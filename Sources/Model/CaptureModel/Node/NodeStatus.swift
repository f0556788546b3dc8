/// A node as the coordinator sees it.
public struct NodeStatus: Hashable, Sendable {
    public var node: NodeName
    public var isConnected: Bool
    /// The largest error of the node's rig time; nil unless the node is connected and synchronized.
    public var clockBound: Duration?
    /// How the node knows rig time; nil as `clockBound`, and if the agent does not report it.
    public var clock: ClockStatus?
    /// How far T may reach back into the node's frames.
    public var ringDepth: Duration
    public var spoolUsedBytes: Int64
    public var spoolFreeBytes: Int64
    public var devices: Int
    public var devicesRunning: Int
    /// The agent's version.
    public var software: String
    /// The agent's build of libzmq; nil while the node is disconnected, and if the agent does not report it.
    public var busLibrary: BusLibrary?
    /// Rig time of its last message; nil if there was none in the coordinator's run.
    public var lastHeard: RigTime?
    /// The node's frames channel; nil while the node is disconnected or has none.
    public var frames: FramesStatus?
    /// How overloaded or hot its machine is; nil while the node is disconnected, and if it does not report it.
    public var pressure: SystemPressure?
    /// Why its spool has no room for another photo; nil if it has room.
    public var spoolShortage: String?

    public init(
        node: NodeName, isConnected: Bool, clockBound: Duration? = nil, clock: ClockStatus? = nil, ringDepth: Duration,
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
        self.clock = clock
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

/// The build of libzmq that a process of the rig is linked with.
public struct BusLibrary: Hashable, Codable, Sendable {
    /// A version such as `4.3.4`.
    public var version: String
    /// Whether the library prevents peers from aborting the process.
    public var isHardened: Bool

    public init(version: String, isHardened: Bool) {
        self.version = version
        self.isHardened = isHardened
    }
}

/// The address and counters of an agent's frames channel.
public struct FramesStatus: Hashable, Codable, Sendable {
    /// Host name or address by which other machines reach it; an IPv6 address has no brackets.
    public var host: String
    public var port: UInt16
    /// The number of topics that have a subscriber.
    public var watched: Int
    /// Messages published, and their bytes, since the agent's start.
    public var published: UInt64
    public var publishedBytes: UInt64
    /// Pictures that were scaled down since the agent's start.
    public var scaled: UInt64
    /// Viewer connections that were refused or ended since the agent's start.
    public var refusedConnections: UInt64
    /// The agent's public key, which a viewer's connection begins with, in base64; nil without keys.
    public var key: String?
    /// The revision of the rig's keys that the agent enforces; 0 before the coordinator has sent them, and without keys.
    public var viewersRevision: UInt64

    public init(
        host: String, port: UInt16, watched: Int = 0, published: UInt64 = 0, publishedBytes: UInt64 = 0,
        scaled: UInt64 = 0, refusedConnections: UInt64 = 0, key: String? = nil, viewersRevision: UInt64 = 0
    ) {
        self.host = host
        self.port = port
        self.watched = watched
        self.published = published
        self.publishedBytes = publishedBytes
        self.scaled = scaled
        self.refusedConnections = refusedConnections
        self.key = key
        self.viewersRevision = viewersRevision
    }

    /// The endpoint to which a viewer connects.
    public var endpoint: String { host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)" }
}
