/// Something that happened on a node or in the coordinator, for people and programs that watch the rig.
public struct RigEvent: Hashable, Codable, Sendable {
    public var name: EventName
    /// The wall clock of the source when it happened, in nanoseconds since 1970. It may step, so it is for people only.
    public var realtimeNanoseconds: Int64
    /// The monotonic clock of the source when it happened.
    public var local: LocalTime
    /// The same instant on the rig's time line; nil while the source has no clock estimate.
    public var rig: BoundedRigTime?
    /// The device concerned, if any.
    public var device: DeviceID?
    /// The shot concerned, if any.
    public var shot: ShotID?
    /// Further facts as text, by name.
    public var details: [String: String]

    public init(
        _ name: EventName, realtimeNanoseconds: Int64, local: LocalTime, rig: BoundedRigTime? = nil,
        device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:]
    ) {
        self.name = name
        self.realtimeNanoseconds = realtimeNanoseconds
        self.local = local
        self.rig = rig
        self.device = device
        self.shot = shot
        self.details = details
    }
}

/// An event with its number in its source's sequence, by which repeats are recognized.
public struct NumberedEvent: Hashable, Codable, Sendable {
    /// The run of the source in which it happened.
    public var epoch: Epoch
    /// From 1 within the epoch.
    public var sequence: UInt64
    public var event: RigEvent

    public init(epoch: Epoch, sequence: UInt64, event: RigEvent) {
        self.epoch = epoch
        self.sequence = sequence
        self.event = event
    }
}
