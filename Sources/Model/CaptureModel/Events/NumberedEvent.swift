/// An event with its place in its source's own numbering, by which repeats are recognised.
public struct NumberedEvent: Hashable, Codable, Sendable {
    /// The life of the source in which it happened.
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
