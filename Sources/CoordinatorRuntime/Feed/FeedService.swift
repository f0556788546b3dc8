import CaptureModel
import FaultPoints
import Journal
import Logging
import PosixSupport
import RigProtocol
import RigWire
import ZeroMQ

/// Keeps the rig's events and publishes them, with a beat a second by which subscribers notice a loss.
///
/// An event is in the journal before it is on the feed, and before its node is told that it may forget it: whatever
/// somebody has seen, or only the coordinator has, a replay gives also after the coordinator's end. Replays come from the
/// journal, those of earlier lives first. A subscriber that does not read loses messages at its own queue; it sees the
/// gap and asks for a replay.
actor FeedService {
    private nonisolated let queue: FeedQueue
    private nonisolated let journal: EventJournal
    private let socket: PublisherSocket
    private let epoch: Epoch
    private nonisolated let clock: any TimeSource
    private nonisolated let log: Logger
    private var lastSequence: UInt64 = 0
    private var dropped = DroppedMessages()
    private nonisolated let survival = Locked(FeedSurvival())
    private let lane = SendLane<Message>()

    init(socket: PublisherSocket, journal: EventJournal, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.journal = journal
        self.epoch = epoch
        self.clock = clock
        self.log = log
        queue = FeedQueue(clock: clock)
    }

    /// What earlier lives have published, as far as the journal holds it. Of a life whose journal has a hole only what comes
    /// before it: from there on nodes send again, and what they send is to be published.
    static func events(in journal: EventJournal) async -> [FeedEvent] {
        var last: EventPosition?
        var lifeWithHole: Epoch?
        return await journal.pending(limit: .max).compactMap { journaled in
            let position = journaled.position
            // The first life begins anywhere, since its oldest file may be gone.
            if let last, position.sequence != (position.epoch == last.epoch ? last.sequence &+ 1 : 1) {
                lifeWithHole = position.epoch
            }
            last = position
            return position.epoch == lifeWithHole ? nil : Self.read(journaled)?.event
        }
    }

    /// Serves until the task is cancelled; what has been numbered by then is kept and published.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beats() }
            group.addTask { await self.passEvents() }
            group.addTask { await self.keepWriting() }
        }
    }

    /// Takes the next event in order, without waiting.
    nonisolated func publish(_ event: FeedEvent) {
        queue.append(event)
    }

    /// The number up to which events survive the coordinator's end. Waits for no disk.
    nonisolated func journaledSequence() -> UInt64 {
        survival.withLock { $0.sequence }
    }

    /// Events that were lost on their way to the journal, told once, and not before the journal goes on behind them.
    nonisolated func takeLoss() -> ClosedRange<UInt64>? {
        survival.withLock { $0.takeLoss() }
    }

    /// One page of events after the one that is asked for, also of earlier lives of the coordinator.
    func replay(_ request: WireGetEvents) async -> WireEventLog {
        let asked = Epoch(rawValue: request.coordinatorEpoch).map {
            EventPosition(epoch: $0, sequence: request.afterSequence)
        }
        let page = await journal.pending(after: asked, limit: WireLimits.eventsPerReplay)
        var answer = WireEventLog()
        answer.truncated = await isTruncated(page, after: asked)
        answer.events = readable(page)
        var newest = page.last?.position
        // An empty page is the end to who asked, so those of which nothing can be read are passed over.
        while answer.events.isEmpty, let last = newest {
            let next = await journal.pending(after: last, limit: WireLimits.eventsPerReplay)
            guard let end = next.last?.position else { break }
            answer.events = readable(next)
            newest = end
        }
        // One may be in the journal and not on the feed yet.
        answer.lastSequence = max(lastSequence, newest.map { $0.epoch == epoch ? $0.sequence : 0 } ?? 0)
        return answer
    }

    /// What whoever asks for a replay can read; the others are counted, and their numbers are missing.
    private func readable(_ page: [JournaledEvent]) -> [WireFeedEvent] {
        page.compactMap { journaled in
            if let wire = Self.read(journaled)?.wire { return wire }
            dropped.note(.malformed) {
                log.error(
                    "an event of the journal cannot be read and is left out of replays",
                    metadata: ["sequence": "\(journaled.position.sequence)"])
            }
            return nil
        }
    }

    private static func read(_ journaled: JournaledEvent) -> (event: FeedEvent, wire: WireFeedEvent)? {
        guard let wire = try? WireCoding.feed.decode(WireFeedEvent.self, from: journaled.payload),
            let event = try? FeedEvent(wire: wire)
        else { return nil }
        return (event, wire)
    }

    /// Messages that were not sent, and events that found no place on their way to the disk.
    func droppedMessages() -> [String: UInt64] {
        var counts = dropped.counts(of: "feed")
        if queue.dropped > 0 { counts["feed.unexpected"] = queue.dropped }
        return counts
    }

    private func isTruncated(_ page: [JournaledEvent], after asked: EventPosition?) async -> Bool {
        guard let first = page.first?.position else { return false }
        guard let asked else { return first.sequence > 1 }
        if first.epoch == asked.epoch { return first.sequence > asked.sequence + 1 }
        // The page begins with another life: right behind the one asked for, or that one is not known.
        return await !journal.knows(asked)
    }

    private func passEvents() async {
        while !Task.isCancelled {
            await passWaiting()
            await queue.wait()
        }
        await passWaiting()
    }

    private func passWaiting() async {
        while let event = queue.popFirst() {
            var message = WireFeedMessage()
            message.event = event.wire
            await FeedWaitFault.journal.reached()
            // What cannot be encoded keeps its number: a replay passes over it.
            await journal.append((try? WireCoding.feed.encode(message.event)) ?? [], as: event.sequence)
            note(await journal.progress)
            await FeedWaitFault.journaled.reached()
            lastSequence = event.sequence
            await publish(message, at: .event)
        }
    }

    /// A disk that works again is noticed without an event. Beside the beats, which no disk may hold up.
    private nonisolated func keepWriting() async {
        await journal.keepWriting(clock: clock) { [self] progress in
            note(progress)
            if let problem = progress.problem {
                log.error("events cannot be written; nodes keep theirs", metadata: ["reason": "\(problem)"])
            } else {
                log.info("events can be written again")
            }
        }
    }

    private nonisolated func note(_ progress: EventJournalProgress) {
        survival.withLock { $0.note(written: progress.sequence, lost: [progress.lost, queue.lost]) }
    }

    private func beats() async {
        while !Task.isCancelled {
            await beat()
            await FeedWaitFault.beat.reached()
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    private func beat() async {
        var message = WireFeedMessage()
        message.beat.coordinatorEpoch = epoch.rawValue
        message.beat.lastSequence = lastSequence
        await publish(message, at: .beat)
    }

    private func publish(_ message: WireFeedMessage, at point: FeedSendFault) async {
        do {
            let frame = try FeedFrame(message)
            let outcome = await lane.pass(Message([MessagePart(frame.bytes)]), at: point) { await socket.publish($0) }
            if case .refused(let refusal) = outcome {
                dropped.note(.unsent) { log.warning("feed messages are dropped", metadata: ["first": "\(refusal)"]) }
            }
        } catch {
            log.error("an event cannot be published", metadata: ["reason": "\(error)"])
        }
    }
}
