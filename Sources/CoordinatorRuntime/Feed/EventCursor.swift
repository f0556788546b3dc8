import RigProtocol

/// Whether a node's batches of events come one after the other: within a membership each one names the last event of
/// the one before, so that a lost one is noticed before anything behind it is acknowledged.
struct EventCursor: Sendable {
    private var last: WireEventPosition?

    /// Notes a batch that has come.
    /// - Returns: false where one before it has not come; it is not to be taken then.
    mutating func follows(_ batch: WireEventBatch) -> Bool {
        guard let event = batch.events.last else { return true }
        var end = WireEventPosition()
        end.epoch = event.epoch
        end.sequence = event.sequence
        // A batch may come twice.
        guard !batch.hasFollows || batch.follows == last || end == last else { return false }
        last = end
        return true
    }
}
