import CaptureModel
import DequeModule
import OrderedCollections

/// The rig's events in one sequence, the newest of them kept for replay.
///
/// Bound: `limit` events; the oldest leave first, and a replay that would need them says so.
struct EventLog: Sendable {
    let epoch: Epoch
    let limit: Int
    private(set) var lastSequence: UInt64 = 0
    private var events: Deque<FeedEvent> = []
    /// The newest sequence taken from each life of each node, so that a resent event is not published twice.
    private var taken: [NodeName: OrderedDictionary<Epoch, UInt64>] = [:]
    /// Lives of a node that are remembered in `taken`, newest first to stay.
    private static let epochLimit = 64

    /// What a replay finds.
    struct Replay: Sendable {
        var events: [FeedEvent]
        var lastSequence: UInt64
        /// Events between the one asked for and the first one here are no longer held.
        var isTruncated: Bool
    }

    init(epoch: Epoch, limit: Int = 10_000) {
        self.epoch = epoch
        self.limit = limit
    }

    /// Numbers an event of the coordinator itself.
    mutating func append(_ event: RigEvent) -> FeedEvent {
        keep(nil, NumberedEvent(epoch: epoch, sequence: lastSequence + 1, event: event))
    }

    /// Numbers an event of a node; nil when it has been taken before.
    mutating func append(_ event: NumberedEvent, from node: NodeName) -> FeedEvent? {
        guard event.sequence > taken[node]?[event.epoch] ?? 0 else { return nil }
        taken[node, default: [:]][event.epoch] = event.sequence
        if taken[node].map({ $0.count > Self.epochLimit }) == true { taken[node]?.removeFirst() }
        return keep(node, event)
    }

    /// Forgets what was taken from a node; what it sends again is published again, under its own numbers.
    mutating func forget(_ node: NodeName) {
        taken[node] = nil
    }

    private mutating func keep(_ node: NodeName?, _ source: NumberedEvent) -> FeedEvent {
        lastSequence += 1
        let event = FeedEvent(coordinatorEpoch: epoch, sequence: lastSequence, node: node, source: source)
        events.append(event)
        if events.count > limit { events.removeFirst() }
        return event
    }

    /// At most `count` events after `sequence` of `epoch`; from the first one held for another epoch than this one.
    func replay(epoch asked: Epoch?, after sequence: UInt64, count: Int) -> Replay {
        let start = asked == epoch ? sequence : 0
        let first = events.first?.sequence ?? lastSequence + 1
        let skipped = start >= first ? Int(min(start - first + 1, UInt64(events.count))) : 0
        return Replay(
            events: Array(events.dropFirst(skipped).prefix(count)), lastSequence: lastSequence,
            isTruncated: start < first - 1)
    }
}
