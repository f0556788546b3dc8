internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// One page of events the coordinator holds.
struct EventReplay: Hashable, Sendable {
    var epoch: Epoch
    /// In order of publication, those of earlier epochs first.
    var events: [FeedEvent]
    /// The newest sequence of `epoch` given out so far; 0 where none.
    var lastSequence: UInt64
    /// Events between the one asked after and the first one here are no longer held.
    var isTruncated: Bool
}

extension EventReplay {
    init(wire: WireEventLog, epoch: Epoch) throws(WireError) {
        self.epoch = epoch
        events = try wire.events.map(FeedEvent.init(wire:))
        lastSequence = wire.lastSequence
        isTruncated = wire.truncated
    }
}
