import CaptureModel

/// Tells a session's events in the order in which they came, one at a time. What waits is bounded by those that tell: captures
/// under way, commands, the camera; each waits until its own is told.
final class EventQueue {
    private struct Backlog {
        var events: [SessionEvent]
        /// Those who wait until the events are told, beside the first, who tells them.
        var waiters: [CheckedContinuation<Bool, Never>] = []
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
        guard !events.isEmpty, await begins(with: events) else { return }
        while let event = next() { await observer(event) }
        guard case .telling(let backlog) = state else { return }
        state = .idle
        for waiter in backlog.waiters { waiter.resume(returning: false) }
    }

    /// Whether it is for the caller to tell the events; else this returns when another has told them. The look at the state and
    /// what follows from it are one step.
    private func begins(with events: [SessionEvent]) async -> Bool {
        await withCheckedContinuation { waiter in
            switch state {
            case .idle:
                state = .telling(Backlog(events: events))
                waiter.resume(returning: true)
            case .telling(var backlog):
                backlog.events += events
                backlog.waiters.append(waiter)
                state = .telling(backlog)
            }
        }
    }

    private func next() -> SessionEvent? {
        guard case .telling(var backlog) = state, !backlog.events.isEmpty else { return nil }
        defer { state = .telling(backlog) }
        return backlog.events.removeFirst()
    }
}
