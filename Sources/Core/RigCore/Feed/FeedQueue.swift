import CaptureModel
import DequeModule
import PosixSupport

/// Numbered events on their way to the journal and the feed, in the order of their numbers: whoever numbers them puts them
/// in without waiting, so that no disk is on the way of a shot.
///
/// Bound: `limit` events; the oldest leave first, and are counted; their numbers are told by ``lost``.
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

    /// The oldest event; nil where there is none.
    func popFirst() -> FeedEvent? {
        state.withLock { $0.events.popFirst() }
    }

    /// Events that found no place.
    var dropped: UInt64 {
        state.withLock { $0.dropped }
    }

    /// From the first to the last number of those events; others between them may have found one.
    var lost: ClosedRange<UInt64>? {
        state.withLock { $0.lost }
    }

    /// Returns when there may be another one, or the task is cancelled.
    func wait() async {
        await alarm.wait(until: nil)
    }
}
