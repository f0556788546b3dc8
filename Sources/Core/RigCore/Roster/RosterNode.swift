package import CaptureModel
import ControlMessages

/// The coordinator's knowledge of one node: what it persists, and what the connected agent last reported.
struct RosterNode: Sendable {
    /// Every device that the node has registered and that was not forgotten, with its newest condition.
    var devices: [DeviceName: RosterDevice] = [:]
    /// The connected agent of the node; nil if there is none.
    var agent: ConnectedAgent?
    /// When the last message of the node arrived; nil if there was none since the coordinator started.
    var lastHeard: LocalTime?
    /// The epoch of the agent that last connected, whether it is still connected or not.
    var lastEpoch: Epoch?
}

/// A device of the roster.
struct RosterDevice: Sendable {
    var description: DeviceDescription
    var condition: DeviceCondition
}

/// One run of an agent, as its hello and heartbeats describe it.
package struct ConnectedAgent: Sendable {
    package var epoch: Epoch
    package var bootID: String
    package var software: String
    package var ringDepth: Duration
    /// The time line on which the agent estimates rig time; nil if it does not report it.
    package var rigClock: RigClockID?
    package var clockBound: Duration?
    /// nil before the first heartbeat with it.
    package var clock: ClockStatus?
    package var spoolUsedBytes: Int64
    package var spoolFreeBytes: Int64
    /// nil if the agent does not report it.
    package var busLibrary: BusLibrary?
    /// nil if the agent has no frames channel.
    package var frames: FramesStatus?
    /// nil if the machine does not report it, and before the first heartbeat.
    package var pressure: SystemPressure?
    /// Why the spool has no room for another photo; nil if it has room.
    package var spoolShortage: String?

    package init(
        epoch: Epoch, bootID: String, software: String, ringDepth: Duration, rigClock: RigClockID? = nil,
        clockBound: Duration? = nil, spoolUsedBytes: Int64 = 0, spoolFreeBytes: Int64 = 0,
        busLibrary: BusLibrary? = nil,
        frames: FramesStatus? = nil
    ) {
        self.epoch = epoch
        self.bootID = bootID
        self.software = software
        self.ringDepth = ringDepth
        self.rigClock = rigClock
        self.clockBound = clockBound
        self.spoolUsedBytes = spoolUsedBytes
        self.spoolFreeBytes = spoolFreeBytes
        self.busLibrary = busLibrary
        self.frames = frames
    }

    /// The agent as its hello describes it.
    init(_ hello: NodeHello, epoch: Epoch) {
        self.init(
            epoch: epoch, bootID: hello.bootID, software: hello.software, ringDepth: hello.ringDepth,
            rigClock: hello.rigClock, busLibrary: hello.busLibrary, frames: hello.frames)
    }
}
