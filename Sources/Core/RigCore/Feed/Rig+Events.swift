package import CaptureModel
import ControlMessages
import Logging
import OrderedCollections

/// Events of nodes. Their node may remove them only when the feed has them.
extension Rig {
    /// Republishes a node's events on the feed. An event that is not valid is dropped and acknowledged with the others,
    /// because it would not be valid the next time either.
    /// - Returns: false if an earlier batch is missing, and nothing was accepted.
    func accept(_ batch: EventBatch, from node: NodeName) async -> Bool {
        guard nodes.follows(batch, from: node) else { return false }
        let valid = batch.entries.compactMap { event(in: $0, of: node) }
        // In one step: if some were lost in between, they would count as reported.
        nodes.published(batch, from: node, through: publish(valid, from: node))
        for event in valid { await noteDiscard(event.event, by: node) }
        return true
    }

    /// Returns the acknowledgements to send to a node. Does not wait for a disk.
    func dueAcknowledgements(of node: NodeName) -> [EventPosition] {
        guard let journaled = links?.journaledSequence() else { return [] }
        return nodes.dueAcknowledgements(of: node, journaledThrough: journaled)
    }

    private func event(in entry: EventBatch.Entry, of node: NodeName) -> NumberedEvent? {
        switch entry.event {
        case .success(let event):
            return NumberedEvent(epoch: entry.position.epoch, sequence: entry.position.sequence, event: event)
        case .failure(let problem):
            log.error(
                "an event is not valid and is dropped",
                metadata: ["node": "\(node)", "sequence": "\(entry.position.sequence)", "reason": "\(problem)"])
            return nil
        }
    }

    /// Announces events that were lost on their way to the disk, when the disk writes again, and makes every node send
    /// its unacknowledged events again. Some of these are already on the feed and get another number.
    func recoverLostEvents() async {
        guard let lost = links?.removeEventLoss() else { return }
        log.error(
            "events were lost before they could be written; nodes send theirs again", metadata: ["lost": "\(lost)"])
        forgetPublishedEvents()
        let connected = nodes.restartEvents()
        await announce(.feedEventsLost, details: ["first": "\(lost.lowerBound)", "last": "\(lost.upperBound)"])
        for node in connected { await requireHello(of: node) }
    }
}

/// Checks that a node's batches of events follow one another. Within a membership, each batch names the last event of
/// the previous one, so that a lost batch is noticed before any later event is acknowledged.
struct EventCursor: Sendable {
    private var last: EventPosition?

    /// Notes a batch that has arrived.
    /// - Returns: false if an earlier batch is missing; the batch must not be accepted then.
    mutating func follows(_ batch: EventBatch) -> Bool {
        guard let end = batch.entries.last?.position else { return true }
        // A batch may arrive twice.
        guard batch.follows == nil || batch.follows == last || end == last else { return false }
        last = end
        return true
    }
}

/// Numbers the rig's events in one sequence, each of them once.
///
/// A value: ``EventFeed`` keeps and publishes what it numbers.
package struct EventLog: Sendable {
    let epoch: Epoch
    private(set) var lastSequence: UInt64 = 0
    /// The newest sequence accepted from each run of each node, so that a resent event is not published twice.
    private var accepted: [NodeName: OrderedDictionary<Epoch, UInt64>] = [:]
    /// Number of runs of a node in `accepted`. The oldest is removed first.
    private static let epochLimit = 64

    /// - Parameter journaled: The events that earlier runs of the coordinator have published, as far as the journal has
    ///   them.
    package init(epoch: Epoch, journaled: [FeedEvent] = []) {
        self.epoch = epoch
        for event in journaled { if let node = event.node { note(event.source, from: node) } }
    }

    /// Numbers an event of the coordinator.
    mutating func append(_ event: RigEvent) -> FeedEvent {
        number(nil, NumberedEvent(epoch: epoch, sequence: lastSequence + 1, event: event))
    }

    /// Numbers an event of a node; nil if it was accepted before.
    mutating func append(_ event: NumberedEvent, from node: NodeName) -> FeedEvent? {
        guard event.sequence > accepted[node]?[event.epoch] ?? 0 else { return nil }
        note(event, from: node)
        return number(node, event)
    }

    /// Removes the record of a node's accepted events. Events that it sends again are published again, with other
    /// numbers on the feed.
    mutating func forget(_ node: NodeName) {
        accepted[node] = nil
    }

    /// Removes the record of every node's accepted events.
    mutating func forgetTaken() {
        accepted = [:]
    }

    private mutating func note(_ event: NumberedEvent, from node: NodeName) {
        let before = accepted[node]?[event.epoch] ?? 0
        accepted[node, default: [:]][event.epoch] = max(before, event.sequence)
        if accepted[node].map({ $0.count > Self.epochLimit }) == true { accepted[node]?.removeFirst() }
    }

    private mutating func number(_ node: NodeName?, _ source: NumberedEvent) -> FeedEvent {
        lastSequence += 1
        return FeedEvent(coordinatorEpoch: epoch, sequence: lastSequence, node: node, source: source)
    }
}

/// Accepted events of a node that are not acknowledged yet, because the feed's journal does not have them.
///
/// Acknowledged events survive a restart of the coordinator in that journal. The node sends the others to the next run.
///
/// A value without a clock. Bounded: beyond `limit` batches the newest two are merged. Events of runs beyond
/// `lifeLimit` in one batch are not acknowledged, so that they are sent again.
struct PendingAcknowledgements: Sendable {
    static let limit = 256
    /// A node has one run at a time, and events of the last few.
    static let lifeLimit = 512

    private struct Batch {
        /// The number on the feed up to which the journal must have everything.
        var feedSequence: UInt64
        /// The last event of each epoch.
        var sequences: [Epoch: UInt64]
    }

    /// In the order of their numbers on the feed.
    private var batches: [Batch] = []

    /// Notes events that are on the feed up to `feedSequence`, including those that were there before.
    mutating func add(_ events: [EventPosition], publishedThrough feedSequence: UInt64) {
        var batch = Batch(feedSequence: feedSequence, sequences: [:])
        if batches.count >= Self.limit, let newest = batches.popLast() { batch.sequences = newest.sequences }
        for event in events where batch.sequences[event.epoch] != nil || batch.sequences.count < Self.lifeLimit {
            batch.sequences[event.epoch] = max(batch.sequences[event.epoch] ?? 0, event.sequence)
        }
        batches.append(batch)
    }

    /// Returns the positions to acknowledge when the journal has everything up to `feedSequence`.
    mutating func removeDue(journaledThrough feedSequence: UInt64) -> [EventPosition] {
        let due = batches.prefix { $0.feedSequence <= feedSequence }
        batches.removeFirst(due.count)
        return due.flatMap(\.sequences).map { EventPosition(epoch: $0.key, sequence: $0.value) }
    }
}
