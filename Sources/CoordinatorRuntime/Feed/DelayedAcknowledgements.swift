import CaptureModel
import RigProtocol

/// Events of a node that have been published and are not acknowledged yet.
///
/// What is acknowledged is gone with the coordinator's memory; what is not, the node sends to the next one. Who follows
/// the feed may take two beats to notice what it has missed and to ask for it, so events are acknowledged only then.
///
/// A value without clock. Bounded: beyond `limit` batches the newest two wait together; of lives beyond `lifeLimit` in
/// one of them nothing is acknowledged, so that they are sent again.
struct DelayedAcknowledgements: Sendable {
    static let delay = Duration.seconds(3)
    static let limit = 256
    /// A node has one life at a time, and events of the last few.
    static let lifeLimit = 512

    private struct Batch {
        var due: LocalTime
        /// The last event of each epoch.
        var sequences: [UInt64: UInt64]
    }

    /// In order of their instants.
    private var batches: [Batch] = []

    /// Notes events that have been published, also such as were before.
    mutating func add(_ events: [WireNumberedEvent], at now: LocalTime) {
        var batch = Batch(due: now + Self.delay, sequences: [:])
        if batches.count >= Self.limit, let newest = batches.popLast() { batch.sequences = newest.sequences }
        for event in events where batch.sequences[event.epoch] != nil || batch.sequences.count < Self.lifeLimit {
            batch.sequences[event.epoch] = max(batch.sequences[event.epoch] ?? 0, event.sequence)
        }
        batches.append(batch)
    }

    /// What is to be acknowledged now.
    mutating func takeDue(at now: LocalTime) -> [WireEventAck] {
        let due = batches.prefix { $0.due <= now }
        batches.removeFirst(due.count)
        return due.flatMap(\.sequences).map { epoch, sequence in
            var ack = WireEventAck()
            ack.epoch = epoch
            ack.sequence = sequence
            return ack
        }
    }
}
