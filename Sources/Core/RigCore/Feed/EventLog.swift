package import CaptureModel
import OrderedCollections

/// Numbers the rig's events in one sequence, each of them once.
///
/// A value: ``FeedService`` keeps and publishes what it numbers.
package struct EventLog: Sendable {
    let epoch: Epoch
    private(set) var lastSequence: UInt64 = 0
    /// The newest sequence taken from each life of each node, so that a resent event is not published twice.
    private var taken: [NodeName: OrderedDictionary<Epoch, UInt64>] = [:]
    /// Lives of a node that are remembered in `taken`, newest first to stay.
    private static let epochLimit = 64

    /// - Parameter journaled: What earlier lives of the coordinator have published, as far as the journal holds it.
    package init(epoch: Epoch, journaled: [FeedEvent] = []) {
        self.epoch = epoch
        for event in journaled { if let node = event.node { note(event.source, from: node) } }
    }

    /// Numbers an event of the coordinator itself.
    mutating func append(_ event: RigEvent) -> FeedEvent {
        number(nil, NumberedEvent(epoch: epoch, sequence: lastSequence + 1, event: event))
    }

    /// Numbers an event of a node; nil when it has been taken before.
    mutating func append(_ event: NumberedEvent, from node: NodeName) -> FeedEvent? {
        guard event.sequence > taken[node]?[event.epoch] ?? 0 else { return nil }
        note(event, from: node)
        return number(node, event)
    }

    /// Forgets what was taken from a node; what it sends again is published again, under its own numbers.
    mutating func forget(_ node: NodeName) {
        taken[node] = nil
    }

    /// Forgets what was taken from every node.
    mutating func forgetTaken() {
        taken = [:]
    }

    private mutating func note(_ event: NumberedEvent, from node: NodeName) {
        let before = taken[node]?[event.epoch] ?? 0
        taken[node, default: [:]][event.epoch] = max(before, event.sequence)
        if taken[node].map({ $0.count > Self.epochLimit }) == true { taken[node]?.removeFirst() }
    }

    private mutating func number(_ node: NodeName?, _ source: NumberedEvent) -> FeedEvent {
        lastSequence += 1
        return FeedEvent(coordinatorEpoch: epoch, sequence: lastSequence, node: node, source: source)
    }
}
