public import CaptureModel
internal import RigProtocol
public import RigWire

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
}

extension NodeStatus {
    init(wire: WireNodeStatus) throws(WireError) {
        let reader = FieldReader("NodeStatus")
        node = try reader.name(wire.node, "node")
        isConnected = wire.connected
        clockBound = wire.hasClockBoundNs ? .nanoseconds(wire.clockBoundNs) : nil
        ringDepth = .nanoseconds(wire.ringDepthNs)
        spoolUsedBytes = wire.spoolUsedBytes
        spoolFreeBytes = wire.spoolFreeBytes
        devices = Int(wire.devices)
        devicesRunning = Int(wire.devicesRunning)
        software = wire.software.sentence(limit: WireLimits.wordByteCount)
        busLibrary = wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil
        lastHeard = wire.lastHeardRigNs == 0 ? nil : RigTime(nanoseconds: wire.lastHeardRigNs)
        frames = wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil
        pressure = wire.hasPressure ? try SystemPressure(wire: wire.pressure) : nil
        spoolShortage =
            wire.spoolShortage.isEmpty ? nil : wire.spoolShortage.sentence(limit: WireLimits.reasonByteCount)
    }
}
