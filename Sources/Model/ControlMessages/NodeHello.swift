public import CaptureModel

/// The description of a node that wants to join.
public struct NodeHello: Hashable, Sendable {
    /// The agent's version, for people.
    public var software: String
    /// One boot of the node's machine.
    public var bootID: String
    /// The agent's build of libzmq; nil if the agent does not report it.
    public var busLibrary: BusLibrary?
    /// Every device that the node configures.
    public var devices: [DeviceStatus]
    /// The rig time line of the devices' phases; nil before the first estimate.
    public var rigClock: RigClockID?
    /// How far back T may reach.
    public var ringDepth: Duration
    /// nil if the agent has no frames channel.
    public var frames: FramesStatus?
    /// The captures in the spool, from the oldest.
    public var inventory: InventoryPage

    public init(
        software: String, bootID: String, busLibrary: BusLibrary? = nil, devices: [DeviceStatus],
        rigClock: RigClockID? = nil, ringDepth: Duration, frames: FramesStatus? = nil,
        inventory: InventoryPage = InventoryPage(after: nil, captures: [], hasMore: false)
    ) {
        self.software = software
        self.bootID = bootID
        self.busLibrary = busLibrary
        self.devices = devices
        self.rigClock = rigClock
        self.ringDepth = ringDepth
        self.frames = frames
        self.inventory = inventory
    }
}
