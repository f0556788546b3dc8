import CaptureEngine
import CaptureModel
import Journal
import Logging
import RigProtocol
import RigWire

/// The node's events on their way to the coordinator: stamped, journaled, sent in order, kept until acknowledged.
actor NodeEvents {
    /// Told when there may be something to send. Newest wins: one signal stands for any number of events.
    nonisolated let appended: AsyncStream<Void>
    private nonisolated let signal: AsyncStream<Void>.Continuation
    private nonisolated let journal: EventJournal
    private nonisolated let clock: any TimeSource
    private nonisolated let rigClock: any RigTimeSource
    /// The last event sent since the last welcome.
    private var sent: EventPosition?
    /// Counts the calls of ``resendAll()``, so that a batch read before one does not undo it.
    private var generation = 0

    init(journal: EventJournal, clock: any TimeSource, rigClock: any RigTimeSource) {
        self.journal = journal
        self.clock = clock
        self.rigClock = rigClock
        (appended, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Journals an event of the present instant.
    /// - Parameter life: What begins or ends with it; what has not ended when the process does, ends after its restart.
    nonisolated func record(
        _ name: EventName, device: DeviceID? = nil, shot: ShotID? = nil, details: [String: String] = [:],
        life: EventLife? = nil
    ) async {
        let pair = clock.wallClockPair()
        let event = RigEvent(
            name, realtimeNanoseconds: pair.realtimeNanoseconds, local: pair.monotonic,
            rig: rigClock.rigTime(at: pair.monotonic), device: device, shot: shot, details: details)
        guard let bytes = try? WireCoding.feed.encode(event.wire) else { return }
        await journal.append(bytes, life: life)
        signal.yield()
    }

    /// Has what the disk has refused written once it works again, also where no further event comes, until the task is
    /// cancelled. Says in the log when events cannot be written, and when they can again.
    nonisolated func keepWriting(_ log: Logger) async {
        await journal.keepWriting(clock: clock) { progress in
            if let problem = progress.problem {
                log.error("events cannot be written and wait in memory", metadata: ["reason": "\(problem)"])
            } else {
                log.info("events can be written again")
            }
        }
    }

    /// The next events to send; nil when all have been sent.
    func nextBatch() async -> WireEventBatch? {
        let read = generation
        let waiting = await journal.pending(after: sent, limit: WireLimits.eventsPerBatch)
        guard read == generation, let last = waiting.last else { return nil }
        var batch = WireEventBatch()
        batch.events = waiting.map { journaled in
            // One that cannot be read keeps its number: the coordinator drops it, and sees that none is missing.
            let event = (try? WireCoding.feed.decode(WireEvent.self, from: journaled.payload)) ?? WireEvent()
            var numbered = WireNumberedEvent()
            numbered.epoch = journaled.position.epoch.rawValue
            numbered.sequence = journaled.position.sequence
            numbered.event = event
            return numbered
        }
        if let sent {
            batch.follows.epoch = sent.epoch.rawValue
            batch.follows.sequence = sent.sequence
        }
        sent = last.position
        return batch
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

    nonisolated func acknowledge(_ epoch: Epoch, through sequence: UInt64) async {
        await journal.acknowledge(epoch, through: sequence)
    }
}
