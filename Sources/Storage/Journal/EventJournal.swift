public import CaptureModel
import FaultPoints
public import PosixSupport

/// Numbered events, kept until they are acknowledged; those of a node, until the coordinator has them, and those of the
/// feed, which nobody acknowledges, until newer ones take their room.
///
/// An event is handed to the kernel when it is appended, so it survives the end of the process however sudden; it is not
/// forced to the disk, so a power cut may lose the last seconds of events. (Captures do not depend on events: they are
/// announced again from the spool.) One that cannot be written is tried again before the next one and by
/// ``keepWriting(clock:tell:)``, and meanwhile kept in memory. What an earlier epoch left unacknowledged stays deliverable
/// under its own numbers.
///
/// The journal is bounded: beyond `limitBytes`, or 256 files, the oldest file of events is dropped, waiting ones included;
/// they are counted, and their numbers are missing from what ``pending(after:limit:)`` returns. All work runs on the file
/// executor.
public actor EventJournal {
    /// The epoch of the events that are appended.
    public nonisolated let epoch: Epoch
    /// What became of the events so far.
    public internal(set) var counters = EventJournalCounters()
    /// Why the last write failed; nil while writing works.
    public internal(set) var lastProblem: PosixError?

    let folder: Folder
    let limitBytes: Int64
    /// Oldest first; the last one is written to.
    var segments: [EventSegment] = []
    var current: OpenFile?
    /// What was opened and not closed, by name.
    var lives: [String: OpenLife] = [:]
    /// Records that could not be written, oldest first; at most ``unwrittenLimit``.
    var unwritten: [EventRecord] = []
    static let unwrittenLimit = 4096
    /// From the first to the last number of those that found no place in it.
    var lost: ClosedRange<UInt64>?
    static let fileLimit = 256
    static let successorLimit = 256
    /// After which a disk that has refused an event is tried again.
    public static let retryInterval = Duration.seconds(1)
    var writing = JournalWriting()
    /// Tells that the disk has begun to refuse events.
    nonisolated let refusals: AsyncStream<Void>
    nonisolated let refusal: AsyncStream<Void>.Continuation
    var tell: (@Sendable (EventJournalProgress) -> Void)?

    private nonisolated let executor: ThreadExecutor
    private let lock: FolderLock
    private var lastSequence: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the journal, creates it where missing, takes its lock and reads what is unacknowledged. Blocks on the disk.
    /// - Parameters:
    ///   - path: The journal's folder; beside the captures of a spool it is called `events`.
    ///   - epoch: The epoch of this process; one seen before continues its numbers.
    ///   - limitBytes: What the files may take, and about what the events take in memory.
    /// - Throws: `FolderInUse` where another process works in it; `PosixError`.
    public init(
        folder path: String, epoch: Epoch, limitBytes: Int64 = 8 << 20, executor: ThreadExecutor,
        fault: FileFault? = nil
    ) throws {
        folder = try Folder.make(path, fault: fault)
        lock = try FolderLock(folder)
        (refusals, refusal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.epoch = epoch
        self.limitBytes = limitBytes
        self.executor = executor
        let recovery = try EventRecovery(folder, limitBytes: limitBytes)
        lives = recovery.lives
        segments = recovery.segments + [EventSegment(number: recovery.nextNumber)]
        counters.recovered = UInt64(segments.reduce(0) { $0 + $1.waiting.count })
        counters.damaged = recovery.damaged
        lastSequence = recovery.lastSequences[epoch] ?? 0
    }

    /// Notes behind what earlier lives have left that this one has begun, so that later ones know where it belongs, though
    /// it may end before its first event. At most 256 lives in a row are noted so. A disk that refuses the note leaves such
    /// a life unknown, as that bound does. Before the first event.
    public func begin() {
        guard segments.count > 1 else { return }
        let former = segments.count - 2
        guard segments[former].successors.count < Self.successorLimit else { return }
        noteBeginning(behind: former)
    }

    /// Appends the document of an event and returns its number. Where it cannot be written it is kept in memory and
    /// counted.
    /// - Parameters:
    ///   - life: What the event opens or closes.
    ///   - sequence: Its number, for who counts by himself; one that is not above all given out counts as the next.
    @discardableResult
    public func append(document: [UInt8], life: EventLife? = nil, as sequence: UInt64? = nil) -> UInt64 {
        lastSequence = max(lastSequence + 1, sequence ?? 0)
        counters.appended += 1
        let event = JournaledEvent(position: EventPosition(epoch: epoch, sequence: lastSequence), document: document)
        makeRoom()
        let record = EventRecord(
            kind: life?.kind ?? .event, position: event.position, life: life?.name ?? "", document: document)
        segments[segments.count - 1].byteCount += Int64(record.bytes.count)
        unwritten.append(record)
        writeWaiting()
        keepUnwritten()
        note(life, event)
        segments[segments.count - 1].waiting.append(event)
        dropExcess()
        JournalFault.appended.reached()
        return lastSequence
    }

    /// How far the events of this epoch survive the end of the process.
    public var progress: EventJournalProgress {
        EventJournalProgress(
            sequence: unwritten.first.map { $0.position.sequence - 1 } ?? lastSequence, lost: lost,
            problem: unwritten.isEmpty ? nil : lastProblem)
    }

    /// The events that opened what an earlier epoch did not close, in the order in which they were appended. The bound of
    /// the journal holds for them too.
    public func unfinished() -> [JournaledEvent] {
        // Every epoch begins a file, so within one the numbers tell the order.
        lives.values.filter { $0.event.position.epoch != epoch }
            .sorted { ($0.segment, $0.event.position.sequence) < ($1.segment, $1.event.position.sequence) }
            .map(\.event)
    }

    /// A file whose lives are all closed may go.
    private func note(_ life: EventLife?, _ event: JournaledEvent) {
        guard let life else { return }
        switch life {
        case .opens: lives[life.name] = OpenLife(event: event, segment: segments[segments.count - 1].number)
        case .closes: lives[life.name] = nil
        }
    }

    /// The oldest waiting events after `position`, in the order in which they were appended; a gap in their numbers is
    /// events that were dropped.
    /// - Parameters:
    ///   - position: nil begins with the oldest; so does an epoch that is not known. One that is known and of which nothing
    ///     waits begins with what came after it.
    ///   - limit: How many at most.
    public func pending(after position: EventPosition? = nil, limit: Int) -> [JournaledEvent] {
        guard limit > 0 else { return [] }
        let start = start(after: position)
        var found: [JournaledEvent] = []
        for index in segments[start.segment...].indices {
            let events = segments[index].waiting
            let first = index == start.segment ? start.index : 0
            for event in first..<min(events.count, first + limit - found.count) { found.append(events[event]) }
            if found.count == limit { break }
        }
        return found
    }

    /// Whether it is known what came after `position`: events of its epoch wait, or it is the beginning of one that is known.
    public func knows(_ position: EventPosition) -> Bool {
        segments.contains { segment in
            segment.waiting.firstIndex { $0.epoch == position.epoch } != nil
                || position.sequence == 0 && segment.successors.contains(position.epoch)
        }
    }

    /// How many events wait for their acknowledgement.
    public var pendingCount: Int { segments.reduce(0) { $0 + $1.waiting.count } }

    /// Forgets the events of `epoch` up to `sequence`. Repeats, unknown epochs and numbers not given out yet do no harm.
    public func acknowledge(_ epoch: Epoch, through sequence: UInt64) {
        let position = EventPosition(epoch: epoch, sequence: sequence)
        let before = pendingCount
        for index in segments.indices {
            segments[index].waiting.removeAll { $0.isCovered(by: position) }
        }
        let count = before - pendingCount
        guard count > 0 else { return }
        counters.acknowledged += UInt64(count)
        let record = EventRecord(kind: .acknowledgement, position: position)
        segments[segments.count - 1].byteCount += Int64(record.bytes.count)
        _ = write(record)
        JournalFault.acknowledged.reached()
        removeFinished()
    }

    /// Where the events after `position` begin; the index may be that behind the last event of its file.
    private func start(after position: EventPosition?) -> (segment: Int, index: Int) {
        guard let position else { return (0, 0) }
        for (number, segment) in zip(segments.indices, segments).reversed() {
            if let last = segment.waiting.lastIndex(where: { $0.isCovered(by: position) }) { return (number, last + 1) }
        }
        for (number, segment) in zip(segments.indices, segments) {
            if let first = segment.waiting.firstIndex(where: { $0.epoch == position.epoch }) { return (number, first) }
        }
        let last = segments.count - 1
        if position.epoch == epoch { return (last, segments[last].waiting.count) }
        guard let former = segments.firstIndex(where: { $0.successors.contains(position.epoch) }) else { return (0, 0) }
        return (former, segments[former].waiting.count)
    }
}
