package import CaptureModel
import FaultPoints
package import Journal
package import Logging

import class PosixSupport.Locked

/// Keeps the rig's events and publishes them in the order of their numbers.
///
/// An event is in the journal before it is on the feed, and before its node is told that it may remove it. A replay
/// therefore contains every event that anybody has seen, or that only the coordinator has, even after the coordinator
/// restarts. Replays read the journal, earlier runs first.
package actor EventFeed {
    private nonisolated let queue: FeedQueue
    private nonisolated let journal: EventJournal
    private nonisolated let epoch: Epoch
    private nonisolated let clock: any TimeSource
    private nonisolated let log: Logger
    private nonisolated let survival = Locked(FeedDurability())
    /// The newest event that was passed to the publisher.
    package private(set) var lastSequence: UInt64 = 0
    /// Number of events of the journal that could not be read for a replay. Their numbers are missing there.
    package private(set) var unreadable: UInt64 = 0

    package init(journal: EventJournal, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.journal = journal
        self.epoch = epoch
        self.clock = clock
        self.log = log
        queue = FeedQueue(clock: clock)
    }

    /// Returns the events that earlier runs have published, as far as the journal has them. If the journal of a run has
    /// a gap, only the events before it are returned: nodes send the later ones again, and they must be published.
    package func earlierEvents() async -> [FeedEvent] {
        var last: EventPosition?
        var lifeWithHole: Epoch?
        return await journal.pending(limit: .max).compactMap { journaled in
            let position = journaled.position
            // The first run may begin at any number, because its oldest file may be gone.
            if let last, position.sequence != (position.epoch == last.epoch ? last.sequence &+ 1 : 1) {
                lifeWithHole = position.epoch
            }
            last = position
            return position.epoch == lifeWithHole ? nil : try? journaled.feedEvent()
        }
    }

    /// Works until the task is cancelled. Events that are numbered by then are kept and published.
    /// - Parameter publish: Called with each event, in order, when the journal has it.
    package func run(publish: @escaping @Sendable (FeedEvent) async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.passEvents(publish) }
            group.addTask { await self.keepWriting() }
        }
    }

    /// Accepts the next event in order. Does not block.
    package nonisolated func append(_ event: FeedEvent) {
        queue.append(event)
    }

    /// Returns the number up to which events survive a restart of the coordinator. Does not wait for a disk.
    package nonisolated func journaledSequence() -> UInt64 {
        survival.withLock { $0.sequence }
    }

    /// Returns events that were lost on their way to the journal. Each loss is reported once, after the journal has
    /// written events beyond it.
    package nonisolated func removeLoss() -> ClosedRange<UInt64>? {
        survival.withLock { $0.removeLoss() }
    }

    /// Number of events dropped on their way to the disk.
    package nonisolated var overflow: UInt64 { queue.dropped }

    /// Returns at most `limit` events after `asked`, including those of earlier runs of the coordinator.
    package func page(after asked: EventPosition?, limit: Int) async -> EventPage {
        let page = await journal.pending(after: asked, limit: limit)
        let isTruncated = await isTruncated(page, after: asked)
        var events = readable(page)
        var newest = page.last?.position
        // An empty page means the end to the client, so pages without any readable event are skipped.
        while events.isEmpty, let last = newest {
            let next = await journal.pending(after: last, limit: limit)
            guard let end = next.last?.position else { break }
            events = readable(next)
            newest = end
        }
        // An event may be in the journal before it is on the feed.
        let last = max(lastSequence, newest.map { $0.epoch == epoch ? $0.sequence : 0 } ?? 0)
        return EventPage(events: events, lastSequence: last, isTruncated: isTruncated)
    }

    /// Returns the events that can be read for a replay, and counts the others.
    private func readable(_ page: [JournaledEvent]) -> [FeedEvent] {
        page.compactMap { journaled in
            if let event = try? journaled.feedEvent() { return event }
            unreadable += 1
            if unreadable == 1 {
                log.error(
                    "an event of the journal cannot be read and is omitted from replays",
                    metadata: ["sequence": "\(journaled.position.sequence)"])
            }
            return nil
        }
    }

    private func isTruncated(_ page: [JournaledEvent], after asked: EventPosition?) async -> Bool {
        guard let first = page.first?.position else { return false }
        guard let asked else { return first.sequence > 1 }
        if first.epoch == asked.epoch { return first.sequence > asked.sequence + 1 }
        // The page begins with another run. That run directly follows the requested one, or the requested one is
        // unknown.
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

    /// Notices that a disk works again, without an event. Runs separately from the beats, which no disk may delay.
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
