import Journal

/// Whether a node's batches of events come one after the other: within a membership each one names the last event of
/// the one before, so that a lost one is noticed before anything behind it is acknowledged.
struct EventCursor: Sendable {
    private var last: EventPosition?

    /// Notes a batch that has come.
    /// - Returns: false where one before it has not come; it is not to be accepted then.
    mutating func follows(_ batch: EventBatch) -> Bool {
        guard let end = batch.entries.last?.position else { return true }
        // A batch may come twice.
        guard batch.follows == nil || batch.follows == last || end == last else { return false }
        last = end
        return true
    }
}
