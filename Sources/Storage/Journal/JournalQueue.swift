public import CaptureModel
internal import DequeModule
internal import PosixSupport

/// Events and acknowledgements on their way to a node's journal, in the order of the calls. Whoever puts something in does
/// not wait, so that no disk is on the way of a shot. Safe from any thread.
///
/// | queue | event comes | journal empties it |
/// |---|---|---|
/// | holds fewer than ``limit`` events | it gets the next number and waits | – |
/// | holds ``limit`` events | as above, and the oldest that opens and closes nothing is dropped, or else the oldest; ``dropped`` counts it, and its number is missing | – |
///
/// Acknowledgements of one epoch are one, the highest; those of more than ``epochLimit`` epochs are left out, and what they
/// would have removed is delivered and acknowledged again.
public final class JournalQueue: Sendable {
    /// Events that may wait.
    public static let limit = 4096
    /// Epochs of which acknowledgements may wait: a journal has at most so many files, and a file for each epoch.
    static let epochLimit = 256

    /// What the journal is to do.
    enum Work: Sendable {
        case append(RigEvent, EventLife?, sequence: UInt64)
        case acknowledge(Epoch, through: UInt64)
    }

    private struct Entry {
        var event: RigEvent
        var life: EventLife?
        var sequence: UInt64
    }

    private struct State {
        var events: Deque<Entry> = []
        var acknowledged: [Epoch: UInt64] = [:]
        var lastSequence: UInt64 = 0
        var dropped: UInt64 = 0
    }

    private let state = Locked(State())
    /// Told that something waits. One signal stands for any number of them.
    public let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// An empty queue, whose first event has the number 1.
    public init() {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// - Parameter life: What the event opens or closes.
    public func append(_ event: RigEvent, life: EventLife? = nil) {
        state.withLock { state in
            state.lastSequence += 1
            state.events.append(Entry(event: event, life: life, sequence: state.lastSequence))
            guard state.events.count > Self.limit else { return }
            state.events.remove(at: state.events.firstIndex { $0.life == nil } ?? 0)
            state.dropped += 1
        }
        signal.yield()
    }

    /// Has the events of `epoch` up to `sequence` forgotten.
    public func acknowledge(_ epoch: Epoch, through sequence: UInt64) {
        state.withLock { state in
            guard state.acknowledged[epoch] != nil || state.acknowledged.count < Self.epochLimit else { return }
            state.acknowledged[epoch] = max(state.acknowledged[epoch] ?? 0, sequence)
        }
        signal.yield()
    }

    /// Events that found no place.
    public var dropped: UInt64 {
        state.withLock { $0.dropped }
    }

    /// Acknowledgements first: they make room.
    func popFirst() -> Work? {
        state.withLock { state in
            if let (epoch, sequence) = state.acknowledged.popFirst() { return .acknowledge(epoch, through: sequence) }
            return state.events.popFirst().map { .append($0.event, $0.life, sequence: $0.sequence) }
        }
    }
}

extension EventJournal {
    /// Carries out what waits, in order; returns when nothing waits any more. Any number of callers may do so.
    public func carryOut(_ queue: JournalQueue) {
        while let work = queue.popFirst() {
            switch work {
            case .append(let event, let life, let sequence): append(event, life: life, as: sequence)
            case .acknowledge(let epoch, let sequence): acknowledge(epoch, through: sequence)
            }
        }
    }
}
