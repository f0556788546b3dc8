import CaptureModel
import ControlMessages
import Journal
import Logging

/// The node's events on their way to the coordinator: stamped, journaled, sent in order, and kept until acknowledged.
///
/// ```
///  record ──▶ JournalQueue ──run──▶ EventJournal ──nextBatch──▶ coordinator
///             4096, oldest dropped  kept until acknowledged
/// ```
///
/// Recording and acknowledging do not wait for a disk. An event is sent only when the journal has it.
actor NodeEvents {
    /// Signals that there may be events to send. Newest wins: one signal represents any number of events.
    nonisolated let appended: AsyncStream<Void>
    private nonisolated let signal: AsyncStream<Void>.Continuation
    private nonisolated let queue = JournalQueue()
    private nonisolated let journal: EventJournal
    private nonisolated let clock: any TimeSource
    private nonisolated let rigClock: any RigTimeSource
    /// The last event sent since the last welcome.
    private var sent: EventPosition?
    /// Counts the calls of ``rewind()``, so that a batch that was read before a call does not undo it.
    private var generation = 0
    private nonisolated let log: Logger
    /// Events whose record in the journal cannot be read. At most the number that an earlier run left in it.
    private(set) var unreadable: Set<EventPosition> = []
    /// Number of events in a batch: as many as a message holds.
    static let batchLimit = 100

    init(journal: EventJournal, clock: any TimeSource, rigClock: any RigTimeSource, log: Logger) {
        self.journal = journal
        self.clock = clock
        self.rigClock = rigClock
        self.log = log
        (appended, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Queues an event of the present instant for journaling and sending. Any thread; does not block.
    /// - Parameter lifetime: What begins or ends with the event. What has not ended when the process ends is ended
    ///   after its restart.
    nonisolated func record(
        _ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:],
        lifetime: EventLifetime? = nil
    ) {
        queue.append(event(name, device: device, shot: shot, details: details), lifetime: lifetime)
        signal.yield()
    }

    private nonisolated func event(
        _ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String]
    ) -> RigEvent {
        let pair = clock.wallClockPair()
        return RigEvent(
            name, realtimeNanoseconds: pair.realtimeNanoseconds, local: pair.monotonic,
            rig: rigClock.rigTime(at: pair.monotonic), device: device, shot: shot, details: details)
    }

    /// Returns an instant on the rig's time line; nil if the node has no estimate of it.
    nonisolated func rigTime(at instant: LocalTime) -> BoundedRigTime? { rigClock.rigTime(at: instant) }

    /// Events that were dropped because too many waited for the journal.
    nonisolated var dropped: UInt64 { queue.dropped }

    /// Journals recorded events until the task is cancelled. Events that the disk refused are written when it works
    /// again. Logs when events cannot be written, when they can be written again, and when some were dropped.
    nonisolated func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepWriting() }
            group.addTask { await self.journalRecorded() }
        }
    }

    private nonisolated func journalRecorded() async {
        var told: UInt64 = 0
        for await _ in queue.signals {
            await finish()
            let dropped = dropped
            guard dropped > told else { continue }
            log.error("events waited for the journal and were dropped", metadata: ["count": "\(dropped - told)"])
            record(.eventsDropped, details: ["count": "\(dropped - told)"])
            told = dropped
        }
    }

    private nonisolated func keepWriting() async {
        await journal.keepWriting(clock: clock) { [log] progress in
            if let problem = progress.problem {
                log.error("events cannot be written and wait in memory", metadata: ["reason": "\(problem)"])
            } else {
                log.info("events can be written again")
            }
        }
    }

    /// Journals all events recorded so far.
    nonisolated func finish() async {
        await journal.carryOut(queue)
        signal.yield()
    }

    /// Returns the next events to send; nil if all have been sent.
    func nextBatch() async -> EventBatch? {
        await journal.carryOut(queue)
        let read = generation
        let waiting = await journal.pending(after: sent, limit: Self.batchLimit)
        guard read == generation, let last = waiting.last else { return nil }
        let batch = EventBatch(follows: sent, entries: waiting.map(entry))
        sent = last.position
        return batch
    }

    /// Returns an event with its number. One that cannot be read keeps its number, and an event that says so is sent
    /// under it.
    private func entry(_ journaled: JournaledEvent) -> EventBatch.Entry {
        let position = journaled.position
        let event: RigEvent
        do throws(UnreadableEvent) {
            event = try journaled.event()
        } catch {
            if unreadable.insert(position).inserted {
                log.error(
                    "an event of the journal cannot be read",
                    metadata: ["event": "\(position.epoch):\(position.sequence)", "reason": "\(error)"])
            }
            event = self.event(.eventUnreadable, details: ["reason": "\(error)"])
        }
        return EventBatch.Entry(position: position, event: .success(event))
    }

    /// Restarts sending at the oldest unacknowledged event, when ``wake()`` is called or another event is recorded.
    func rewind() {
        sent = nil
        generation += 1
    }

    /// Wakes the reader of ``appended``.
    nonisolated func wake() {
        signal.yield()
    }

    /// Returns the events that opened captures which an earlier run of the agent did not end.
    nonisolated func unfinished() async -> [JournaledEvent] {
        await journal.unfinished()
    }

    /// Removes the events of `epoch` up to `sequence`. Does not block.
    nonisolated func acknowledge(_ epoch: Epoch, through sequence: UInt64) {
        queue.acknowledge(epoch, through: sequence)
    }
}

extension EventName {
    /// A record of the journal cannot be read. The event has the number of the unreadable one.
    static let eventUnreadable = EventName(rawValue: "node.eventUnreadable")
    /// Events were dropped because too many waited for the journal. Their numbers are missing.
    static let eventsDropped = EventName(rawValue: "node.eventsDropped")
}
