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

/// The name of what happened, such as `device.running`: a subject and a word, joined by a dot.
///
/// The set is open. Modules add constants in extensions, and readers keep names that they do not know.
public struct EventName: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether the name may be sent: 1 to 56 of `a-z`, `A-Z`, `0-9`, `.` and `-`, so that it fits a feed topic.
    public var isWellFormed: Bool {
        let bytes = rawValue.utf8
        return (1...56).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "-")
            }
    }

    public var description: String { rawValue }
}

extension EventName {
    /// A capture was removed from a node's spool on request.
    public static let spoolDiscarded = EventName(rawValue: "spool.discarded")
    /// A camera shows another scene; published only if its configuration asks for it.
    public static let sceneChanged = EventName(rawValue: "device.sceneChanged")
    /// What can be requested of a camera has changed: one ability, with the reason if it is not available.
    public static let abilityChanged = EventName(rawValue: "device.abilityChanged")

    /// A device has reached this state: `device.running`, `device.absent`, …
    public static func device(_ state: DeviceCondition.State) -> EventName {
        EventName(rawValue: "device.\(state.rawValue)")
    }
}

/// An event as the coordinator publishes it, in the single order of the rig.
public struct FeedEvent: Hashable, Codable, Sendable {
    /// The coordinator's run; sequences of different runs are unrelated.
    public var coordinatorEpoch: Epoch
    /// From 1 within the coordinator's epoch, without gaps.
    public var sequence: UInt64
    /// The node on which it happened; nil for the coordinator itself.
    public var node: NodeName?
    /// The event with its source's number. Delivery is at least once; a consumer drops events that it has seen.
    public var source: NumberedEvent

    public init(coordinatorEpoch: Epoch, sequence: UInt64, node: NodeName?, source: NumberedEvent) {
        self.coordinatorEpoch = coordinatorEpoch
        self.sequence = sequence
        self.node = node
        self.source = source
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
