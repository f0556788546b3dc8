/// An event as the coordinator publishes it: in the one order of the rig.
public struct FeedEvent: Hashable, Codable, Sendable {
    /// The coordinator's life; sequences of different ones are unrelated.
    public var coordinatorEpoch: Epoch
    /// From 1 within the coordinator's epoch, without gaps.
    public var sequence: UInt64
    /// The node it happened on; nil for the coordinator itself.
    public var node: NodeName?
    /// The event with its source's own number. Delivery is at least once: a consumer drops what it has seen.
    public var source: NumberedEvent

    public init(coordinatorEpoch: Epoch, sequence: UInt64, node: NodeName?, source: NumberedEvent) {
        self.coordinatorEpoch = coordinatorEpoch
        self.sequence = sequence
        self.node = node
        self.source = source
    }
}
