internal import CaptureModel

/// Where a follower of the feed stands, and what it must do so that no event is missed or told twice.
///
/// States: *unanchored* (no epoch known yet), *following* (every sequence up to `seen` of `epoch` has been told). A
/// live event that is not the next one, a beat that knows of a later one, or another epoch is a gap: the follower asks
/// for a replay after `seen` of its own epoch, which goes on with the epochs after it, until ``Progress/caughtUp``. What
/// the replay has told is dropped when it comes live. An epoch that has been left does not come again: where a replay
/// begins with one, since the coordinator's journal does not know the follower's, its events have been told, and the
/// follower asks on behind them.
struct FeedCursor {
    /// What to do with something live.
    enum Verdict: Equatable {
        /// Tell it.
        case tell
        /// It has been told, or says nothing.
        case drop
        /// Ask for a replay; what is live comes with it.
        case replay
    }

    /// Whether a replay has ended.
    enum Progress: Equatable {
        case more
        case caughtUp
    }

    private(set) var epoch: Epoch?
    private(set) var seen: UInt64 = 0
    /// Behind what a replay is asked for.
    var asked: (epoch: Epoch?, sequence: UInt64) { passed.map { ($0.coordinatorEpoch, $0.sequence) } ?? (epoch, seen) }
    /// The last event of the page before, where it is one of an epoch that was left.
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

    mutating func take(_ event: FeedEvent) -> Verdict {
        guard event.coordinatorEpoch == epoch else { return .replay }
        guard event.sequence > seen else { return .drop }
        guard event.sequence == seen + 1 else { return .replay }
        seen = event.sequence
        return .tell
    }

    func take(beatOf beatEpoch: Epoch, lastSequence: UInt64) -> Verdict {
        beatEpoch != epoch || lastSequence > seen ? .replay : .drop
    }

    /// Takes one page of a replay.
    /// - Returns: What to tell, and whether another page is needed.
    mutating func take(_ replay: EventReplay) -> (items: [RigFeedItem], progress: Progress) {
        var items: [RigFeedItem] = []
        let start = (epoch, seen)
        for event in replay.events where !left.contains(event.coordinatorEpoch) {
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
        // A page without progress would be asked for for ever.
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

    /// Begins with the first event of another life of the coordinator.
    private mutating func follow(to next: Epoch) -> [RigFeedItem] {
        guard next != epoch else { return [] }
        defer { anchor(epoch: next, after: 0) }
        return epoch == nil ? [] : [.restarted(next)]
    }
}
