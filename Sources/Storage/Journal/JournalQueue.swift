public import CaptureModel
internal import DequeModule
public import FaultPoints
public import PosixSupport

/// Events and acknowledgements that wait for a node's journal, in the order of the calls. Callers do not wait, so a shot does not wait for
/// the disk. Safe from any thread.
///
/// | queue | an event is appended | the journal empties it |
/// |---|---|---|
/// | holds fewer than ``limit`` events | it gets the next number and waits | – |
/// | holds ``limit`` events | as above; the oldest event that opens and closes nothing is dropped, or if there is none, the oldest; ``dropped`` counts it, and its number is missing | – |
///
/// Acknowledgements of one epoch are merged into the highest. Those of more than ``epochLimit`` epochs are dropped. The events that they
/// would have removed are delivered and acknowledged again.
public final class JournalQueue: Sendable {
    /// The most events that may wait.
    public static let limit = 4096
    /// The most epochs whose acknowledgements may wait. A journal has at most as many files, and a file for each epoch.
    static let epochLimit = 256

    /// A task for the journal.
    enum Work: Sendable {
        case append(RigEvent, EventLifetime?, sequence: UInt64)
        case acknowledge(Epoch, through: UInt64)
    }

    private struct Entry {
        var event: RigEvent
        var lifetime: EventLifetime?
        var sequence: UInt64
    }

    private struct State {
        var events: Deque<Entry> = []
        var acknowledged: [Epoch: UInt64] = [:]
        var lastSequence: UInt64 = 0
        var dropped: UInt64 = 0
    }

    private let state = Locked(State())
    /// Yields when something waits. One signal may represent any number of entries.
    public let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// An empty queue, whose first event has the number 1.
    public init() {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Appends an event under the next number.
    /// - Parameter lifetime: What the event opens or closes.
    public func append(_ event: RigEvent, lifetime: EventLifetime? = nil) {
        state.withLock { state in
            state.lastSequence += 1
            state.events.append(Entry(event: event, lifetime: lifetime, sequence: state.lastSequence))
            guard state.events.count > Self.limit else { return }
            state.events.remove(at: state.events.firstIndex { $0.lifetime == nil } ?? 0)
            state.dropped += 1
        }
        signal.yield()
    }

    /// Marks the events of `epoch` up to `sequence` as acknowledged.
    public func acknowledge(_ epoch: Epoch, through sequence: UInt64) {
        state.withLock { state in
            guard state.acknowledged[epoch] != nil || state.acknowledged.count < Self.epochLimit else { return }
            state.acknowledged[epoch] = max(state.acknowledged[epoch] ?? 0, sequence)
        }
        signal.yield()
    }

    /// The number of events dropped because the queue was full.
    public var dropped: UInt64 {
        state.withLock { $0.dropped }
    }

    /// Returns acknowledgements first, since they make room.
    func popFirst() -> Work? {
        state.withLock { state in
            if let (epoch, sequence) = state.acknowledged.popFirst() { return .acknowledge(epoch, through: sequence) }
            return state.events.popFirst().map { .append($0.event, $0.lifetime, sequence: $0.sequence) }
        }
    }
}

extension EventJournal {
    /// Performs everything that waits, in order, and returns when the queue is empty. May be called concurrently.
    public func carryOut(_ queue: JournalQueue) {
        while let work = queue.popFirst() {
            switch work {
            case .append(let event, let lifetime, let sequence): append(event, lifetime: lifetime, as: sequence)
            case .acknowledge(let epoch, let sequence): acknowledge(epoch, through: sequence)
            }
        }
    }
}

extension EventJournal {
    /// Writes what the disk refused once the disk works again, even if no further event arrives, until the task is cancelled. Idle while
    /// nothing is refused. For one task at a time.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures ``retryInterval``.
    ///   - tell: Called on the journal's thread when events begin to wait for the disk, and when none waits any longer.
    public func keepWriting(
        clock: any TimeSource, tell: @escaping @Sendable (EventJournalProgress) -> Void
    ) async {
        self.tell = tell
        defer { self.tell = nil }
        if writing.state == .refused { tell(progress) }
        for await _ in refusals {
            while writing.state == .refused, (try? await clock.sleep(for: Self.retryInterval)) != nil { writeWaiting() }
        }
    }

    /// Writes what waits for the disk, oldest first, until a write fails.
    func writeWaiting() {
        let written = unwritten.firstIndex { !write($0) } ?? unwritten.count
        unwritten.removeFirst(written)
        for action in writing.tried(isWaiting: !unwritten.isEmpty) {
            switch action {
            case .tell: tell?(progress)
            case .tryAgain: refusal.yield()
            }
        }
    }
}

/// Counters of a journal's events, from when it was opened.
public struct EventJournalCounters: Hashable, Codable, Sendable {
    /// Appended in this epoch.
    public var appended: UInt64 = 0
    /// Recovered unacknowledged from earlier epochs.
    public var recovered: UInt64 = 0
    /// Removed because they were acknowledged.
    public var acknowledged: UInt64 = 0
    /// Dropped unacknowledged because the journal was full, oldest first.
    public var dropped: UInt64 = 0
    /// Not written when they were appended. They are lost if the process ends before they are acknowledged or written.
    public var unpersisted: UInt64 = 0
    /// Places in the files that contain no complete record, skipped when the journal was opened.
    public var damaged: UInt64 = 0

    public init() {}
}

/// Which events of a journal's current epoch survive the end of the process.
public struct EventJournalProgress: Hashable, Sendable {
    /// Every event up to this number is in the kernel's buffers, or was dropped in favor of newer ones, except those in ``lost``.
    public var sequence: UInt64
    /// The first to the last event that was never written because more events waited for the disk than are kept. Others between them may
    /// have been written.
    public var lost: ClosedRange<UInt64>?
    /// Why the oldest event that waits for the disk could not be written; nil if none waits.
    public var problem: PosixError?
}

/// The steps of an event journal's file work at which a test can make the disk fail.
public enum JournalFileFault: String, FileFaultPoint {
    case openFile = "events.file.open"
    case readFile = "events.file.read"
    case writeRecord = "events.record.write"
    case removeFile = "events.file.remove"

    public init?(_ step: FileStep, path: String) {
        guard path.hasSuffix(".events") else { return nil }
        self.init(step, in: "events", part: step == .write ? "record" : "file")
    }
}

/// Moments at which an event journal has just written a record to the kernel.
public enum JournalFault: String, ThreadFaultPoint {
    case appended = "events.record.appended"
    case acknowledged = "events.record.acknowledged"
}

/// Whether the disk accepts what is appended to a journal.
///
/// | state | everything is written | something waits for the disk |
/// |---|---|---|
/// | writing | – | refused: reported, tried again every ``EventJournal/retryInterval`` |
/// | refused | writing: reported, no longer tried | – |
///
/// A value type: the outcome of a write is its input, and the actions to perform are its output.
struct JournalWriteState: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case writing
        case refused
    }

    enum Action: Hashable, Sendable {
        /// Report the state to the owner of the journal.
        case tell
        /// Wake the task that waits for a refusal, so that it begins to try again.
        case tryAgain
    }

    private(set) var state = State.writing

    /// Records that a write was tried.
    /// - Parameter isWaiting: Whether something waits for the disk after it.
    mutating func tried(isWaiting: Bool) -> [Action] {
        switch (state, isWaiting) {
        case (.writing, true):
            state = .refused
            return [.tell, .tryAgain]
        case (.refused, false):
            state = .writing
            return [.tell]
        case (.writing, false), (.refused, true):
            return []
        }
    }
}
