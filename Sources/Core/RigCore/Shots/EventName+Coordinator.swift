import CaptureModel

extension EventName {
    /// What becomes of a node.
    enum NodeChange: String {
        case connected
        case disconnected
        case refused
    }

    /// What becomes of a shot.
    enum ShotChange: String {
        case accepted
        case settled
    }

    /// What becomes of captures in a node's spool.
    enum SpoolChange: String {
        /// Captures lie there that no shot of the library expects.
        case orphaned
    }

    /// Events were lost before the feed's journal could hold them.
    static let feedEventsLost = EventName(rawValue: "feed.eventsLost")

    static func spool(_ change: SpoolChange) -> EventName { EventName(rawValue: "spool.\(change.rawValue)") }
    static func node(_ change: NodeChange) -> EventName { EventName(rawValue: "node.\(change.rawValue)") }
    static func shot(_ change: ShotChange) -> EventName { EventName(rawValue: "shot.\(change.rawValue)") }
}
