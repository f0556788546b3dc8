public import CaptureModel

/// An event that has not been acknowledged.
public struct JournaledEvent: Hashable, Sendable {
    /// Its number, by which it is acknowledged and repeats are told apart.
    public var position: EventPosition
    /// What was appended, or the document that a record of an earlier version stands for.
    public var document: [UInt8]

    public init(position: EventPosition, document: [UInt8]) {
        self.position = position
        self.document = document
    }
}

/// The number of an event: counted from 1 in each epoch of its node. A number that is skipped is an event that was
/// dropped.
public struct EventPosition: Hashable, Sendable {
    public var epoch: Epoch
    public var sequence: UInt64

    public init(epoch: Epoch, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Whether it is acknowledged together with `position`.
    func isCovered(by position: EventPosition) -> Bool {
        epoch == position.epoch && sequence <= position.sequence
    }
}
