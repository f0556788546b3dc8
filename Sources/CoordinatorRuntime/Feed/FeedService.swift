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
    private let clock: any TimeSource
    private let log: Logger
    private var lastSequence: UInt64 = 0
    private var dropped = DroppedMessages()
    private var isUnwritten = false
    private let lane = SendLane<Message>()

    init(socket: PublisherSocket, journal: EventJournal, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.journal = journal
        self.epoch = epoch
        self.clock = clock
        self.log = log
        queue = FeedQueue(clock: clock)
    }

    /// Every event of the journal.
    static func events(in journal: EventJournal) async -> [FeedEvent] {
        await journal.pending(limit: .max).compactMap { journaled in
            guard let wire = try? WireCoding.feed.decode(WireFeedEvent.self, from: journaled.payload) else {
                return nil
            }
            return try? FeedEvent(wire: wire)
        }
    }

    /// Serves until the task is cancelled; what has been numbered by then is kept and published.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beats() }
            group.addTask { await self.passEvents() }
        }
    }

    /// Takes the next event in order, without waiting.
    nonisolated func publish(_ event: FeedEvent) {
        queue.append(event)
    }

    /// The number up to which events survive the coordinator's end.
    func journaledSequence() async -> UInt64 {
        let problem = await journal.lastProblem
        if (problem != nil) != isUnwritten {
            isUnwritten.toggle()
            if let problem {
                log.error("events cannot be written; nodes keep theirs", metadata: ["reason": "\(problem)"])
            } else {
                log.info("events can be written again")
            }
        }
        return await journal.persistedSequence
    }

    /// One page of events after the one that is asked for, also of earlier lives of the coordinator.
    func replay(_ request: WireGetEvents) async -> WireEventLog {
        let asked = Epoch(rawValue: request.coordinatorEpoch).map {
            EventPosition(epoch: $0, sequence: request.afterSequence)
        }
        let page = await journal.pending(after: asked, limit: WireLimits.eventsPerReplay)
        var answer = WireEventLog()
        answer.events = page.compactMap { try? WireCoding.feed.decode(WireFeedEvent.self, from: $0.payload) }
        // One may be in the journal and not on the feed yet.
        answer.lastSequence = max(lastSequence, page.last { $0.position.epoch == epoch }?.position.sequence ?? 0)
        answer.truncated = await isTruncated(page, after: asked)
        return answer
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
        // The page begins with another life: right behind the one asked for, or that one is no longer held.
        return await !journal.holds(asked.epoch)
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
            await FeedWaitFault.journaled.reached()
            lastSequence = event.sequence
            await publish(message, at: .event)
        }
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
