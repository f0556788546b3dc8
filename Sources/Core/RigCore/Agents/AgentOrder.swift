package import CaptureModel
package import Journal

/// An order of the rig to an agent.
package enum AgentOrder: Hashable, Sendable {
    /// Say hello again.
    case helloRequired
    case prepare(PrepareCommand)
    /// Take the picture, or begin to record. With `stopTime`, record until then.
    case fire(ShotID, [DeviceID], stopTime: RigTime?)
    case cancel(ShotID, [DeviceID])
    /// Events up to this one may be removed.
    case acknowledgeEvents(EventPosition)
    /// Carry out a request about a device or the spool, once for each number.
    case device(number: UInt64, DeviceRequest)
    /// List the captures of the spool after this one; all if nil.
    case listInventory(after: CaptureKey?)
}

/// An order to arm devices for a shot, with the settings.
package struct PrepareCommand: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceID]
    package var settings: PhotoSettings
    package var rigClock: RigClockID
    /// T.
    package var time: RigTime
    /// The instant until which frames around T are kept without a further command.
    package var pinnedUntil: RigTime
    /// The instant until which what is set for the shot (light, bracket) stays set, because its cameras may still expose; nil if nothing is
    /// set.
    package var setUntil: RigTime?
    /// T as `CLOCK_REALTIME` of the coordinator.
    package var realtimeNanoseconds: Int64
    /// Minutes east of Greenwich at T.
    package var utcOffsetMinutes: Int
}

/// The message with which an agent joins the rig.
package struct AgentHello: Sendable {
    package var node: NodeName
    package var agent: ConnectedAgent
    /// Every device that the node configures.
    package var devices: [DeviceStatus]
    /// Captures of its spool, oldest shot first.
    package var inventory: [CaptureReport]
    /// Whether the spool holds captures that the inventory does not list.
    package var isInventoryTruncated: Bool

    package init(
        node: NodeName, agent: ConnectedAgent, devices: [DeviceStatus], inventory: [CaptureReport] = [],
        isInventoryTruncated: Bool = false
    ) {
        self.node = node
        self.agent = agent
        self.devices = devices
        self.inventory = inventory
        self.isInventoryTruncated = isInventoryTruncated
    }
}
