public import CaptureModel

/// Events of a node, in the order in which they happened.
public struct EventBatch: Hashable, Sendable {
    /// One event. Its position is known even if the rest cannot be read.
    public struct Entry: Hashable, Sendable {
        public var position: EventPosition
        /// The event, or why what has arrived is not valid.
        public var event: Result<RigEvent, RigProblem>

        public init(position: EventPosition, event: Result<RigEvent, RigProblem>) {
            self.position = position
            self.event = event
        }
    }

    /// The last event of the previous batch; nil for the first batch after a welcome.
    public var follows: EventPosition?
    public var entries: [Entry]

    public init(follows: EventPosition? = nil, entries: [Entry]) {
        self.follows = follows
        self.entries = entries
    }
}
