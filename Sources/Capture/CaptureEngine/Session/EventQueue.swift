import CaptureModel

/// Tells a session's events in the order in which they came, one at a time. What waits is bounded by those that tell: captures
/// under way, commands, the camera; each waits until its own is told.
final class EventQueue {
    private struct Backlog {
        var events: [SessionEvent]
        /// Those who wait until the events are told, beside the first, who tells them.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private enum State {
        case idle
        case telling(Backlog)
    }

    private var state = State.idle
    private let observer: @Sendable (SessionEvent) async -> Void

    init(observer: @escaping @Sendable (SessionEvent) async -> Void) {
        self.observer = observer
    }

    /// Whether everything is told.
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Returns when the events have been told.
    func tell(_ events: [SessionEvent]) async {
        guard !events.isEmpty else { return }
        if case .telling(var backlog) = state {
            backlog.events += events
            return await withCheckedContinuation { waiter in
                backlog.waiters.append(waiter)
                state = .telling(backlog)
            }
        }
        state = .telling(Backlog(events: events))
        while let event = next() { await observer(event) }
        guard case .telling(let backlog) = state else { return }
        state = .idle
        for waiter in backlog.waiters { waiter.resume() }
    }

    private func next() -> SessionEvent? {
        guard case .telling(var backlog) = state, !backlog.events.isEmpty else { return nil }
        defer { state = .telling(backlog) }
        return backlog.events.removeFirst()
    }
}
