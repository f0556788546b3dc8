package import CaptureModel
import FaultPoints
package import Journal
package import Logging
import PosixSupport

/// Keeps the rig's events and publishes them, in the order of their numbers.
///
/// An event is in the journal before it is on the feed, and before its node is told that it may forget it: whatever
/// somebody has seen, or only the coordinator has, a replay gives also after the coordinator's end. Replays come from the
/// journal, those of earlier lives first.
package actor EventFeed {
    private nonisolated let queue: FeedQueue
    private nonisolated let journal: EventJournal
    private nonisolated let epoch: Epoch
    private nonisolated let clock: any TimeSource
    private nonisolated let log: Logger
    private nonisolated let survival = Locked(FeedSurvival())
    /// The newest event that was handed to the publisher.
    package private(set) var lastSequence: UInt64 = 0
    /// Events of the journal that could not be read for a replay; their numbers are missing there.
    package private(set) var unreadable: UInt64 = 0

    package init(journal: EventJournal, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.journal = journal
        self.epoch = epoch
        self.clock = clock
        self.log = log
        queue = FeedQueue(clock: clock)
    }

    /// What earlier lives have published, as far as the journal holds it. Of a life whose journal has a hole only what comes
    /// before it: from there on nodes send again, and what they send is to be published.
    package func earlierEvents() async -> [FeedEvent] {
        var last: EventPosition?
        var lifeWithHole: Epoch?
        return await journal.pending(limit: .max).compactMap { journaled in
            let position = journaled.position
            // The first life begins anywhere, since its oldest file may be gone.
            if let last, position.sequence != (position.epoch == last.epoch ? last.sequence &+ 1 : 1) {
                lifeWithHole = position.epoch
            }
            last = position
            return position.epoch == lifeWithHole ? nil : try? journaled.feedEvent()
        }
    }

    /// Works until the task is cancelled; what has been numbered by then is kept and published.
    /// - Parameter publish: Called with each event, in order, once the journal has it.
    package func run(publish: @escaping @Sendable (FeedEvent) async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.passEvents(publish) }
            group.addTask { await self.keepWriting() }
        }
    }

    /// Accepts the next event in order, without waiting.
    package nonisolated func append(_ event: FeedEvent) {
        queue.append(event)
    }

    /// The number up to which events survive the coordinator's end. Waits for no disk.
    package nonisolated func journaledSequence() -> UInt64 {
        survival.withLock { $0.sequence }
    }

    /// Events that were lost on their way to the journal, told once, and not before the journal goes on behind them.
    package nonisolated func takeLoss() -> ClosedRange<UInt64>? {
        survival.withLock { $0.takeLoss() }
    }

    /// Events that found no place on their way to the disk.
    package nonisolated var overflow: UInt64 { queue.dropped }

    /// At most `limit` events after the one that is asked for, also of earlier lives of the coordinator.
    package func page(after asked: EventPosition?, limit: Int) async -> EventPage {
        let page = await journal.pending(after: asked, limit: limit)
        let isTruncated = await isTruncated(page, after: asked)
        var events = readable(page)
        var newest = page.last?.position
        // An empty page is the end to who asked, so those of which nothing can be read are passed over.
        while events.isEmpty, let last = newest {
            let next = await journal.pending(after: last, limit: limit)
            guard let end = next.last?.position else { break }
            events = readable(next)
            newest = end
        }
        // One may be in the journal and not on the feed yet.
        let last = max(lastSequence, newest.map { $0.epoch == epoch ? $0.sequence : 0 } ?? 0)
        return EventPage(events: events, lastSequence: last, isTruncated: isTruncated)
    }

    /// What whoever asks for a replay can read; the others are counted.
    private func readable(_ page: [JournaledEvent]) -> [FeedEvent] {
        page.compactMap { journaled in
            if let event = try? journaled.feedEvent() { return event }
            unreadable += 1
            if unreadable == 1 {
                log.error(
                    "an event of the journal cannot be read and is left out of replays",
                    metadata: ["sequence": "\(journaled.position.sequence)"])
            }
            return nil
        }
    }

    private func isTruncated(_ page: [JournaledEvent], after asked: EventPosition?) async -> Bool {
        guard let first = page.first?.position else { return false }
        guard let asked else { return first.sequence > 1 }
        if first.epoch == asked.epoch { return first.sequence > asked.sequence + 1 }
        // The page begins with another life: right behind the one asked for, or that one is not known.
        return await !journal.knows(asked)
    }

    private func passEvents(_ publish: @Sendable (FeedEvent) async -> Void) async {
        while !Task.isCancelled {
            await passWaiting(publish)
            await queue.wait()
        }
        await passWaiting(publish)
    }

    private func passWaiting(_ publish: @Sendable (FeedEvent) async -> Void) async {
        while let event = queue.popFirst() {
            await FeedWaitFault.journal.reached()
            await journal.append(event)
            note(await journal.progress)
            await FeedWaitFault.journaled.reached()
            lastSequence = event.sequence
            await publish(event)
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
}
