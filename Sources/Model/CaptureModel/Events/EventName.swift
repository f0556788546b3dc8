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
    /// A durable manifest gives every camera of a shot an outcome; again for each later revision.
    public static let shotSettled = EventName(rawValue: "shot.settled")
    /// A shot was deleted from the library.
    public static let shotDeleted = EventName(rawValue: "shot.deleted")
    /// A camera shows another scene; published only if its configuration asks for it.
    public static let sceneChanged = EventName(rawValue: "device.sceneChanged")
    /// What can be requested of a camera has changed: one ability, with the reason if it is not available.
    public static let abilityChanged = EventName(rawValue: "device.abilityChanged")

    /// A device has reached this state: `device.running`, `device.absent`, …
    public static func device(_ state: DeviceCondition.State) -> EventName {
        EventName(rawValue: "device.\(state.rawValue)")
    }
}
