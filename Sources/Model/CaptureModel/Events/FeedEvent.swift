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
