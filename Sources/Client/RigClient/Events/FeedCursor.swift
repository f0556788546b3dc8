internal import CaptureModel

/// The position of a follower of the feed, and the action it must take so that no event is missed or delivered twice.
///
/// States: *unanchored* (no epoch known yet), *following* (every sequence up to `seen` of `epoch` has been delivered).
/// Three things are a gap: a live event that is not the next one, a beat that knows of a later one, and another epoch.
/// After a gap the follower requests a replay after `seen` of its epoch, which continues with the epochs after it,
/// until ``Progress/caughtUp``. Events that the replay has delivered are dropped when they arrive live.
///
/// An epoch that has been left does not return. A replay begins with such an epoch if the coordinator's journal does
/// not know the follower's epoch. Its events have been delivered, so the follower requests the events after them.
struct FeedCursor {
    /// The action for a live message.
    enum Verdict: Equatable {
        /// Deliver it.
        case tell
        /// It has been delivered, or carries nothing.
        case drop
        /// Request a replay, which includes the live event.
        case replay
    }

    /// Whether a replay has ended.
    enum Progress: Equatable {
        case more
        case caughtUp
    }

    private(set) var epoch: Epoch?
    private(set) var seen: UInt64 = 0
    /// The position after which a replay is requested.
    var asked: (epoch: Epoch?, sequence: UInt64) { passed.map { ($0.coordinatorEpoch, $0.sequence) } ?? (epoch, seen) }
    /// The last event of the previous page, if it belongs to an epoch that was left.
    private var passed: FeedEvent?
    /// The last epochs that were left; at most ``leftLimit``.
    private var left: [Epoch] = []
    private static let leftLimit = 64

    /// Begins after `sequence` of `epoch`.
    mutating func anchor(epoch: Epoch, after sequence: UInt64) {
        if let former = self.epoch, former != epoch { leave(former) }
        self.epoch = epoch
        seen = sequence
    }

    mutating func process(_ event: FeedEvent) -> Verdict {
        guard event.coordinatorEpoch == epoch else { return .replay }
        guard event.sequence > seen else { return .drop }
        guard event.sequence == seen + 1 else { return .replay }
        seen = event.sequence
        return .tell
    }

    func process(beatOf beatEpoch: Epoch, lastSequence: UInt64) -> Verdict {
        beatEpoch != epoch || lastSequence > seen ? .replay : .drop
    }

    /// Processes one page of a replay.
    /// - Returns: The items to deliver, and whether another page is needed.
    mutating func process(_ replay: EventReplay) -> (items: [RigFeedItem], progress: Progress) {
        var items: [RigFeedItem] = []
        let start = (epoch, seen)
        for event in replay.events where !left.contains(event.coordinatorEpoch) {
            // The page begins with another run, since the coordinator does not know what followed the last event.
            if replay.isTruncated, items.isEmpty, epoch != nil, event.coordinatorEpoch != epoch {
                items.append(.skipped(count: nil))
            }
            items += follow(to: event.coordinatorEpoch)
            guard event.sequence > seen else { continue }
            if event.sequence > seen + 1 { items.append(.skipped(count: event.sequence - seen - 1)) }
            items.append(.event(event))
            seen = event.sequence
        }
        if let last = replay.events.last, left.contains(last.coordinatorEpoch), last != passed {
            passed = last
            return (items, .more)
        }
        passed = nil
        // A page without progress would be requested forever.
        if start == (epoch, seen) {
            items += follow(to: replay.epoch)
            if replay.lastSequence > seen, start.0 == replay.epoch {
                items.append(.skipped(count: replay.lastSequence - seen))
                seen = replay.lastSequence
            }
        }
        return (items, epoch == replay.epoch && seen >= replay.lastSequence ? .caughtUp : .more)
    }

    private mutating func leave(_ epoch: Epoch) {
        if left.count == Self.leftLimit { left.removeFirst() }
        left.append(epoch)
    }

    /// Begins with the first event of another epoch of the coordinator.
    private mutating func follow(to next: Epoch) -> [RigFeedItem] {
        guard next != epoch else { return [] }
        defer { anchor(epoch: next, after: 0) }
        return epoch == nil ? [] : [.restarted(next)]
    }
}
