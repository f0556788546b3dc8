package import CaptureModel
package import Journal

/// What the rig tells an agent to do.
package enum AgentCommand: Hashable, Sendable {
    /// Say hello again.
    case helloRequired
    case prepare(PrepareCommand)
    /// Take the picture, or begin to record; with `stopTime`, record until then.
    case fire(ShotID, [DeviceID], stopTime: RigTime?)
    case cancel(ShotID, [DeviceID])
    /// Events up to this one may be forgotten.
    case acknowledgeEvents(EventPosition)
    /// Carry out a request about a device or the spool, once for each number.
    case device(number: UInt64, DeviceRequest)
    /// List the captures of the spool after this one; all where nil.
    case listInventory(after: CaptureKey?)
}

/// Which devices are to be armed for a shot, and how.
package struct PrepareCommand: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceID]
    package var settings: PhotoSettings
    package var rigClock: RigClockID
    /// T.
    package var time: RigTime
    /// Until when frames around T are kept where nothing else is heard.
    package var pinnedUntil: RigTime
    /// T as `CLOCK_REALTIME` of the coordinator.
    package var realtimeNanoseconds: Int64
    /// Minutes east of Greenwich at T.
    package var utcOffsetMinutes: Int
}
