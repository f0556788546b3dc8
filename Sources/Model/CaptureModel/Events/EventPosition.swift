/// The number of an event, counted from 1 in each epoch of its node. A missing number means that an event was dropped.
public struct EventPosition: Hashable, Sendable {
    public var epoch: Epoch
    public var sequence: UInt64

    public init(epoch: Epoch, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Whether an acknowledgement through `position` includes it.
    public func isCovered(by position: EventPosition) -> Bool {
        epoch == position.epoch && sequence <= position.sequence
    }
}
