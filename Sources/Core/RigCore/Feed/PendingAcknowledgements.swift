import CaptureModel
import Journal

/// Events of a node that were accepted and are not acknowledged yet, because the feed's journal does not hold them.
///
/// What is acknowledged survives the coordinator's end in that journal; what is not, the node sends to the next one.
///
/// A value without clock. Bounded: beyond `limit` batches the newest two wait together; of lives beyond `lifeLimit` in
/// one of them nothing is acknowledged, so that they are sent again.
struct PendingAcknowledgements: Sendable {
    static let limit = 256
    /// A node has one life at a time, and events of the last few.
    static let lifeLimit = 512

    private struct Batch {
        /// The feed's number up to which the journal must hold everything.
        var feedSequence: UInt64
        /// The last event of each epoch.
        var sequences: [Epoch: UInt64]
    }

    /// In order of their numbers on the feed.
    private var batches: [Batch] = []

    /// Notes events that are on the feed up to `feedSequence`, also such as were before.
    mutating func add(_ events: [EventPosition], publishedThrough feedSequence: UInt64) {
        var batch = Batch(feedSequence: feedSequence, sequences: [:])
        if batches.count >= Self.limit, let newest = batches.popLast() { batch.sequences = newest.sequences }
        for event in events where batch.sequences[event.epoch] != nil || batch.sequences.count < Self.lifeLimit {
            batch.sequences[event.epoch] = max(batch.sequences[event.epoch] ?? 0, event.sequence)
        }
        batches.append(batch)
    }

    /// What is to be acknowledged once the journal holds everything up to `feedSequence`.
    mutating func removeDue(journaledThrough feedSequence: UInt64) -> [EventPosition] {
        let due = batches.prefix { $0.feedSequence <= feedSequence }
        batches.removeFirst(due.count)
        return due.flatMap(\.sequences).map { EventPosition(epoch: $0.key, sequence: $0.value) }
    }
}
