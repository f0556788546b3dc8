/// Something that happened on a node or in the coordinator, for people and programs that watch the rig.
public struct RigEvent: Hashable, Codable, Sendable {
    public var name: EventName
    /// Wall clock of the source when it happened, nanoseconds since 1970; for people only, it may step.
    public var realtimeNanoseconds: Int64
    /// The source's own clock when it happened.
    public var local: LocalTime
    /// The same instant on the rig's time line; nil while the source has no clock estimate.
    public var rig: BoundedRigTime?
    /// The device concerned, where one is.
    public var device: DeviceID?
    /// The shot concerned, where one is.
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
