import CaptureModel
import DequeModule
import FaultPoints

import class PosixSupport.Locked

/// Numbered events on their way to the journal and the feed, in the order of their numbers. Adding an event does not
/// block, so that no disk delays a shot.
///
/// Bounded by `limit` events. The oldest are dropped first and counted; ``lost`` has their numbers.
final class FeedQueue: Sendable {
    static let limit = 10_000

    private struct State {
        var events: Deque<FeedEvent> = []
        var dropped: UInt64 = 0
        var lost: ClosedRange<UInt64>?
    }

    private let state = Locked(State())
    private let alarm: Alarm

    init(clock: any TimeSource) {
        alarm = Alarm(clock: clock)
    }

    func append(_ event: FeedEvent) {
        state.withLock { state in
            state.events.append(event)
            guard state.events.count > Self.limit else { return }
            let sequence = state.events.removeFirst().sequence
            state.dropped += 1
            state.lost = (state.lost?.lowerBound ?? sequence)...sequence
        }
        alarm.ring()
    }

    /// Removes and returns the oldest event; nil if there is none.
    func popFirst() -> FeedEvent? {
        state.withLock { $0.events.popFirst() }
    }

    /// Number of dropped events.
    var dropped: UInt64 {
        state.withLock { $0.dropped }
    }

    /// The range from the first to the last dropped event. Others in the range may not have been dropped.
    var lost: ClosedRange<UInt64>? {
        state.withLock { $0.lost }
    }

    /// Returns when there may be another event, or when the task is cancelled.
    func wait() async {
        await alarm.wait(until: nil)
    }
}

/// The points at which the coordinator's feed tasks wait.
package enum FeedWaitFault: String, TaskFaultPoint {
    case beat = "coordinator.feed.wait.beat"
    /// An event is about to be journaled.
    case journal = "coordinator.feed.wait.journal"
    /// An event has been journaled, and is about to be published.
    case journaled = "coordinator.feed.wait.journaled"
}

/// The number up to which the feed's events survive a restart of the coordinator. Nodes may remove their events up to
/// it.
///
/// | state | ``sequence`` | next |
/// |---|---|---|
/// | complete | as far as the journal has written | events are lost on their way to the journal → losing |
/// | losing | below the first lost one, whatever is written after it | the journal has written beyond the last lost one → over |
/// | over | as before, because nodes still have the lost events | ``removeLoss()`` → complete |
///
/// A value without a clock. Numbers may be reported repeatedly and in any order; the highest counts.
struct FeedDurability: Sendable {
    private var written: UInt64 = 0
    /// The range from the first to the last lost event that has not been reported.
    private var lost: ClosedRange<UInt64>?
    /// Losses up to this number have been reported.
    private var lastReported: UInt64 = 0

    /// Every event up to this number is in the journal, or was reported as lost.
    var sequence: UInt64 {
        lost.map { min(written, $0.lowerBound - 1) } ?? written
    }

    /// - Parameters:
    ///   - written: The journal has everything up to this number except lost events.
    ///   - ranges: The range from the first to the last lost event, for each place that can lose events.
    mutating func note(written: UInt64, lost ranges: [ClosedRange<UInt64>?]) {
        self.written = max(self.written, written)
        for range in ranges.compactMap(\.self) where range.upperBound > lastReported {
            let first = max(range.lowerBound, lastReported + 1)
            lost = min(first, lost?.lowerBound ?? first)...max(range.upperBound, lost?.upperBound ?? 0)
        }
    }

    /// Returns the lost events, when the journal has written beyond them. From then on ``sequence`` treats them as
    /// handled.
    mutating func removeLoss() -> ClosedRange<UInt64>? {
        guard let found = lost, written > found.upperBound else { return nil }
        lastReported = found.upperBound
        lost = nil
        return found
    }
}
