public import CaptureModel
import FaultPoints
public import PosixSupport

/// Numbered events, kept until they are acknowledged. A node's events are kept until the coordinator has them. The feed's events are not
/// acknowledged and are kept until newer ones need their room.
///
/// An event is written to the kernel when it is appended, so it survives the end of the process, however sudden. It is not forced to the
/// disk, so a power cut may lose the last seconds of events. (Captures do not depend on events: they are announced again from the spool.)
/// An event that cannot be written is kept in memory. It is tried again before the next one and by ``keepWriting(clock:tell:)``. Events
/// that an earlier epoch left unacknowledged can still be delivered under their numbers.
///
/// The journal is bounded: beyond `limitBytes`, or 256 files, the oldest file of events is dropped, with the events in it that are not
/// acknowledged. They are counted, and their numbers are missing from the results of ``pending(after:limit:)``. All work runs on the file
/// executor.
public actor EventJournal {
    /// The epoch of appended events.
    public nonisolated let epoch: Epoch
    /// Counters of the events so far.
    public internal(set) var counters = EventJournalCounters()
    /// Why the last write failed; nil while writing works.
    public internal(set) var lastProblem: PosixError?

    let folder: Folder
    let limitBytes: Int64
    /// Oldest first. Records are written to the last one.
    var segments: [EventSegment] = []
    var current: OpenFile?
    /// Lifetimes that were opened and not closed, by name.
    var openLifetimes: [String: OpenLifetime] = [:]
    /// Records that could not be written, oldest first; at most ``unwrittenLimit``.
    var unwritten: [EventRecord] = []
    static let unwrittenLimit = 4096
    /// The first to the last number of those dropped from ``unwritten`` because it was full.
    var lost: ClosedRange<UInt64>?
    static let fileLimit = 256
    static let successorLimit = 256
    /// The interval after which a disk that refused an event is tried again.
    public static let retryInterval = Duration.seconds(1)
    var writing = JournalWriteState()
    /// Signals that the disk has begun to refuse events.
    nonisolated let refusals: AsyncStream<Void>
    nonisolated let refusal: AsyncStream<Void>.Continuation
    var tell: (@Sendable (EventJournalProgress) -> Void)?

    private nonisolated let executor: ThreadExecutor
    private let lock: FolderLock
    private var lastSequence: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the journal, creates it if it is missing, takes its lock and reads the unacknowledged events. Blocks on the disk.
    /// - Parameters:
    ///   - path: The journal's folder. Next to the captures of a spool it is called `events`.
    ///   - epoch: The epoch of this process. One that the files contain continues its numbers.
    ///   - limitBytes: The limit for the files, and approximately for the events in memory.
    /// - Throws: `FolderInUse` if another process uses it; `PosixError`.
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
        openLifetimes = recovery.openLifetimes
        segments = recovery.segments + [EventSegment(number: recovery.nextNumber)]
        counters.recovered = UInt64(segments.reduce(0) { $0 + $1.waiting.count })
        counters.damaged = recovery.damaged
        lastSequence = recovery.lastSequences[epoch] ?? 0
    }

    /// Records after the events of earlier epochs that this epoch has begun, so that later ones know its place even if it ends before its
    /// first event. At most 256 consecutive epochs are recorded so. An epoch beyond this bound, or whose record the disk refuses, remains
    /// unknown. Call it before the first event.
    public func begin() {
        guard segments.count > 1 else { return }
        let former = segments.count - 2
        guard segments[former].successors.count < Self.successorLimit else { return }
        noteBeginning(behind: former)
    }

    /// Appends the document of an event and returns its number. If it cannot be written, it is kept in memory and counted.
    /// - Parameters:
    ///   - lifetime: What the event opens or closes.
    ///   - sequence: Its number, for callers that count themselves. If it is not above all numbers used so far, the next number is used.
    @discardableResult
    public func append(document: [UInt8], lifetime: EventLifetime? = nil, as sequence: UInt64? = nil) -> UInt64 {
        lastSequence = max(lastSequence + 1, sequence ?? 0)
        counters.appended += 1
        let event = JournaledEvent(position: EventPosition(epoch: epoch, sequence: lastSequence), document: document)
        makeRoom()
        let record = EventRecord(
            kind: lifetime?.kind ?? .event, position: event.position, lifetime: lifetime?.name ?? "", document: document
        )
        segments[segments.count - 1].byteCount += Int64(record.bytes.count)
        unwritten.append(record)
        writeWaiting()
        keepUnwritten()
        note(lifetime, event)
        segments[segments.count - 1].waiting.append(event)
        dropExcess()
        JournalFault.appended.reached()
        return lastSequence
    }

    /// Which events of this epoch survive the end of the process.
    public var progress: EventJournalProgress {
        EventJournalProgress(
            sequence: unwritten.first.map { $0.position.sequence - 1 } ?? lastSequence, lost: lost,
            problem: unwritten.isEmpty ? nil : lastProblem)
    }

    /// Returns the events that opened what an earlier epoch did not close, in the order in which they were appended. The journal's bound
    /// applies to them too.
    public func unfinished() -> [JournaledEvent] {
        // Every epoch begins a file, so within a file the numbers give the order.
        openLifetimes.values.filter { $0.event.position.epoch != epoch }
            .sorted { ($0.segment, $0.event.position.sequence) < ($1.segment, $1.event.position.sequence) }
            .map(\.event)
    }

    /// Tracks open lifetimes. A file whose lifetimes are all closed may be removed.
    private func note(_ lifetime: EventLifetime?, _ event: JournaledEvent) {
        guard let lifetime else { return }
        switch lifetime {
        case .opens:
            openLifetimes[lifetime.name] = OpenLifetime(event: event, segment: segments[segments.count - 1].number)
        case .closes: openLifetimes[lifetime.name] = nil
        }
    }

    /// Returns the oldest unacknowledged events after `position`, in the order in which they were appended. A gap in their numbers means
    /// that events were dropped.
    /// - Parameters:
    ///   - position: nil or an unknown epoch starts at the oldest event. A known epoch without unacknowledged events starts at what
    ///     followed it.
    ///   - limit: The most events to return.
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

    /// Whether it is known what followed `position`: events of its epoch are unacknowledged, or it is the beginning of a known epoch.
    public func knows(_ position: EventPosition) -> Bool {
        segments.contains { segment in
            segment.waiting.firstIndex { $0.epoch == position.epoch } != nil
                || position.sequence == 0 && segment.successors.contains(position.epoch)
        }
    }

    /// The number of unacknowledged events.
    public var pendingCount: Int { segments.reduce(0) { $0 + $1.waiting.count } }

    /// Removes the events of `epoch` up to `sequence`. Repeats, unknown epochs and numbers not used yet have no effect.
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

    /// Returns where the events after `position` begin. The index may be one past the last event of its file.
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
