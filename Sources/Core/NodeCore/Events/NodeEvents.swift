package import CaptureModel
package import Journal
import Logging

/// The node's events on their way to the coordinator: stamped, journaled, sent in order, kept until acknowledged.
///
/// ```
///  record ──▶ JournalQueue ──run──▶ EventJournal ──nextBatch──▶ coordinator
///             4096, oldest goes     kept until acknowledged
/// ```
///
/// Recording and acknowledging wait for no disk. An event is sent only once the journal has it.
actor NodeEvents {
    /// Told when there may be something to send. Newest wins: one signal stands for any number of events.
    nonisolated let appended: AsyncStream<Void>
    private nonisolated let signal: AsyncStream<Void>.Continuation
    private nonisolated let queue = JournalQueue()
    private nonisolated let journal: EventJournal
    private nonisolated let clock: any TimeSource
    private nonisolated let rigClock: any RigTimeSource
    /// The last event sent since the last welcome.
    private var sent: EventPosition?
    /// Counts the calls of ``rewind()``, so that a batch read before one does not undo it.
    private var generation = 0
    private nonisolated let log: Logger
    /// Events of which the journal's record cannot be read; at most those that an earlier life has left in it.
    private(set) var unreadable: Set<EventPosition> = []
    /// Events of a batch: as many as a message holds.
    static let batchLimit = 100

    init(journal: EventJournal, clock: any TimeSource, rigClock: any RigTimeSource, log: Logger) {
        self.journal = journal
        self.clock = clock
        self.rigClock = rigClock
        self.log = log
        (appended, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Has an event of the present instant journaled and sent. Any thread; waits for nothing.
    /// - Parameter life: What begins or ends with it; what has not ended when the process does, ends after its restart.
    nonisolated func record(
        _ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:],
        life: EventLife? = nil
    ) {
        queue.append(event(name, device: device, shot: shot, details: details), life: life)
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

    /// Events that were dropped because too many waited for the journal.
    nonisolated var dropped: UInt64 { queue.dropped }

    /// Journals what is recorded until the task is cancelled, and has what the disk refused written once it works again.
    /// Says in the log when events cannot be written, when they can again, and when some were dropped.
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

    /// Journals what was recorded so far.
    nonisolated func finish() async {
        await journal.carryOut(queue)
        signal.yield()
    }

    /// The next events to send; nil when all have been sent.
    func nextBatch() async -> EventBatch? {
        await journal.carryOut(queue)
        let read = generation
        let waiting = await journal.pending(after: sent, limit: Self.batchLimit)
        guard read == generation, let last = waiting.last else { return nil }
        let batch = EventBatch(events: waiting.map(numbered), follows: sent)
        sent = last.position
        return batch
    }

    /// One that cannot be read keeps its number, under which an event says so.
    private func numbered(_ journaled: JournaledEvent) -> NumberedEvent {
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
        return NumberedEvent(epoch: position.epoch, sequence: position.sequence, event: event)
    }

    /// Begins again with the oldest unacknowledged event, once ``wake()`` is called or another one is recorded.
    func rewind() {
        sent = nil
        generation += 1
    }

    /// Has whoever waits on ``appended`` look again.
    nonisolated func wake() {
        signal.yield()
    }

    /// What opened the captures that an earlier life of the agent left without an end.
    nonisolated func unfinished() async -> [JournaledEvent] {
        await journal.unfinished()
    }

    /// Has the events of `epoch` up to `sequence` forgotten. Waits for nothing.
    nonisolated func acknowledge(_ epoch: Epoch, through sequence: UInt64) {
        queue.acknowledge(epoch, through: sequence)
    }
}

/// Events as they are sent: in order, and behind which one.
package struct EventBatch: Hashable, Sendable {
    package var events: [NumberedEvent]
    /// The last event of the batch before; nil for the first one after a welcome.
    package var follows: EventPosition?
}

extension EventName {
    /// A record of the journal cannot be read; the event has the number of the one that it was.
    static let eventUnreadable = EventName(rawValue: "node.eventUnreadable")
    /// Events were dropped because too many waited for the journal; their numbers are missing.
    static let eventsDropped = EventName(rawValue: "node.eventsDropped")
}
