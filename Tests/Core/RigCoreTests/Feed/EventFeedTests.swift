import CaptureModel
import CaptureTestSupport
import ControlMessages
import Foundation
import Glibc
import Journal
import Logging
import PosixSupport
import RigTestSupport
import SystemClock
import Testing

@testable import RigCore

/// The feed with a journal on a disk that can fail.
@Suite(.timeLimit(.minutes(10))) struct EventFeedTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A life of the coordinator's feed: publishes so many events of its own and ends, as a crash would end it.
    private func live(_ epoch: Epoch, events count: Int, then check: (EventFeed) async throws -> Void) async throws {
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path, epoch: epoch, executor: try ThreadExecutor(name: "feed"), fault: disk.fault)
        await journal.begin()
        let feed = EventFeed(journal: journal, epoch: epoch, clock: ManualTimeSource(), log: log)
        var events = EventLog(epoch: epoch, journaled: await feed.earlierEvents())
        let published = Observed([FeedEvent]())
        let running = Task { await feed.run { event in published.change { $0.append(event) } } }
        for _ in 0..<count { feed.append(events.append(event)) }
        // It passes on what is waiting before it ends.
        running.cancel()
        await running.value
        let sequence: [UInt64] = (0..<count).map { UInt64($0) + 1 }
        #expect(published.value.map(\.sequence) == sequence)
        try await check(feed)
    }

    private func ask(_ feed: EventFeed, _ epoch: Epoch?, _ after: UInt64) async -> EventPage {
        await feed.page(after: epoch.map { EventPosition(epoch: $0, sequence: after) }, limit: 400)
    }

    private func numbers(_ page: EventPage) -> [String] {
        page.events.map { "\($0.coordinatorEpoch == Samples.epoch(1) ? "a" : "b")\($0.sequence)" }
    }

    @Test("Keeps unread events across a restart")
    func earlierLives() async throws {
        let (first, second) = (Samples.epoch(1), Samples.epoch(2))
        try await live(first, events: 3) { _ in }
        try await live(second, events: 2) { feed in
            let (all, rest, present) = (await ask(feed, nil, 0), await ask(feed, first, 2), await ask(feed, second, 1))
            let (seen, none) = (await ask(feed, first, 3), await ask(feed, second, .max))
            #expect(numbers(all) == ["a1", "a2", "a3", "b1", "b2"] && !all.isTruncated)
            #expect(numbers(rest) == ["a3", "b1", "b2"] && !rest.isTruncated)
            #expect(numbers(seen) == ["b1", "b2"] && !seen.isTruncated)
            #expect(numbers(present) == ["b2"] && !present.isTruncated)
            #expect(none.events.isEmpty && !none.isTruncated && none.lastSequence == 2)
        }
    }

    @Test("Reports a truncation to a reader from a forgotten epoch")
    func forgottenLife() async throws {
        try await live(Samples.epoch(1), events: 1) { feed in
            let answer = await ask(feed, Samples.epoch(9), 4)
            #expect(numbers(answer) == ["a1"] && answer.isTruncated)
            let beginning = await ask(feed, nil, 0)
            #expect(!beginning.isTruncated)
        }
    }

    @Test("Replays from the right place after an epoch without events")
    func silentLife() async throws {
        let (first, silent, third) = (Samples.epoch(1), Samples.epoch(2), Samples.epoch(3))
        try await live(first, events: 3) { _ in }
        try await live(silent, events: 0) { feed in
            let now = await ask(feed, silent, .max)
            #expect(now.events.isEmpty && now.lastSequence == 0)
        }
        try await live(third, events: 0) { feed in
            let none = await ask(feed, silent, 0)
            #expect(none.events.isEmpty && !none.isTruncated)
        }
        try await live(third, events: 2) { feed in
            let since = await ask(feed, silent, 0)
            #expect(numbers(since) == ["b1", "b2"] && !since.isTruncated)
        }
    }

    @Test("Acknowledges no events that the disk has refused")
    func fullDisk() async throws {
        disk.fail(.every(.write, code: ENOSPC))
        try await live(Samples.epoch(1), events: 3) { feed in
            #expect(feed.journaledSequence() == 0)
            #expect(
                numbers(await ask(feed, nil, 0)) == ["a1", "a2", "a3"], "who follows the feed sees them all the same")
        }
        disk.fail(nil)
        try await live(Samples.epoch(2), events: 1) { feed in
            #expect(feed.journaledSequence() == 1)
            #expect(numbers(await ask(feed, nil, 0)) == ["b1"])
        }
    }
}

@Suite struct EventCursorTests {
    private func batch(_ sequences: ClosedRange<UInt64>, after previous: UInt64? = nil, epoch: UInt64 = 7)
        -> EventBatch
    {
        let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        var batch = Samples.batch(sequences, of: event, epoch: epoch)
        batch.follows = previous.map { EventPosition(epoch: Samples.epoch(7), sequence: $0) }
        return batch
    }

    /// Whether each is accepted.
    private func accepted(_ batches: EventBatch...) -> [Bool] {
        var cursor = EventCursor()
        return batches.map { cursor.follows($0) }
    }

    @Test("Acknowledges nothing behind a lost batch")
    func lostBatch() {
        let (first, lost) = (batch(1...3), batch(4...5, after: 3))
        let (second, third) = (batch(6...7, after: 5), batch(8...8, after: 7))
        #expect(accepted(first, second, third, lost, second) == [true, false, false, true, true])
    }

    @Test("Acknowledges nothing behind a lost first batch after a welcome")
    func lostFirstBatch() {
        #expect(accepted(batch(4...5, after: 3), batch(1...3)) == [false, true])
    }

    @Test("Counts repeats, empty batches and earlier epochs as no gap")
    func noGap() {
        let (first, second) = (batch(1...3), batch(4...5, after: 3))
        let earlier = batch(1...2, after: 5, epoch: 8)
        #expect(
            accepted(first, EventBatch(entries: []), second, second, earlier) == [true, true, true, true, true])
    }
}

@Suite struct EventLogTests {
    private let own = Samples.epoch(1)
    private let node: NodeName
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        node = try NodeName("north")
    }

    private func numbered(_ sequence: UInt64, epoch: UInt64 = 7) -> NumberedEvent {
        NumberedEvent(epoch: Samples.epoch(epoch), sequence: sequence, event: event)
    }

    @Test("Numbers events without gaps or repeats")
    func oneSequence() {
        var log = EventLog(epoch: own)
        var sequences = [log.append(event).sequence]
        for number in UInt64(1)...3 { sequences.append(log.append(numbered(number), from: node)?.sequence ?? 0) }
        sequences.append(log.append(event).sequence)
        #expect(sequences == [1, 2, 3, 4, 5])
        #expect(log.lastSequence == 5)
    }

    @Test("Publishes a repeated event once")
    func repeats() throws {
        var log = EventLog(epoch: own)
        #expect(log.append(numbered(1), from: node) != nil)
        #expect(log.append(numbered(3), from: node) != nil, "a gap is events that the node dropped")
        for number in UInt64(1)...3 { #expect(log.append(numbered(number), from: node) == nil) }
        #expect(log.append(numbered(1, epoch: 8), from: node) != nil, "another life counts for itself")
        #expect(log.append(numbered(1), from: try NodeName("south")) != nil, "and another node")
        #expect(log.lastSequence == 4)
    }

    @Test("Publishes no event of an earlier epoch again")
    func journaled() throws {
        var first = EventLog(epoch: Samples.epoch(2))
        let published = [first.append(event), first.append(numbered(4), from: node)].compactMap(\.self)
        var log = EventLog(epoch: own, journaled: published)
        #expect(log.append(numbered(4), from: node) == nil)
        #expect(log.append(numbered(5), from: node)?.sequence == 1, "its own numbers begin with one")
        #expect(log.append(numbered(1, epoch: 8), from: node) != nil)
    }
}

@Suite struct FeedDurabilityTests {
    @Test("Withholds acknowledgements of events that were lost")
    func frozen() {
        var survival = FeedDurability()
        survival.note(written: 10, lost: [nil, nil])
        #expect(survival.sequence == 10)
        survival.note(written: 20, lost: [12...14, 16...17])
        #expect(survival.sequence == 11)
        survival.note(written: 30, lost: [12...14, 16...21])
        #expect(survival.sequence == 11)
        #expect(survival.removeLoss() == 12...21)
        #expect(survival.removeLoss() == nil)
        #expect(survival.sequence == 30)
    }

    @Test("Reports a loss only once later events are durable")
    func notOver() {
        var survival = FeedDurability()
        // The journal waits with 6; up to 5 it has given up.
        survival.note(written: 5, lost: [3...5, nil])
        #expect(survival.removeLoss() == nil)
        #expect(survival.sequence == 2)
        survival.note(written: 6, lost: [3...5, nil])
        #expect(survival.removeLoss() == 3...5)
    }

    @Test("Reports a second loss apart from the first")
    func second() {
        var survival = FeedDurability()
        survival.note(written: 9, lost: [1...4, nil])
        #expect(survival.removeLoss() == 1...4)
        survival.note(written: 9, lost: [1...4, nil])
        #expect(survival.sequence == 9)
        survival.note(written: 20, lost: [1...15, nil])
        #expect(survival.sequence == 4, "between 5 and 15 any may be lost")
        #expect(survival.removeLoss() == 5...15)
        #expect(survival.sequence == 20)
    }
}

@Suite struct PendingAcknowledgementsTests {
    private func event(_ epoch: UInt64, _ sequence: UInt64) -> EventPosition {
        EventPosition(epoch: Samples.epoch(epoch), sequence: sequence)
    }

    @Test("Acknowledges only durable events")
    func journaledFirst() {
        var waiting = PendingAcknowledgements()
        waiting.add([event(1, 8), event(1, 9), event(2, 1)], publishedThrough: 12)
        waiting.add([event(2, 2)], publishedThrough: 14)
        let tooSoon = waiting.removeDue(journaledThrough: 11)
        let first = waiting.removeDue(journaledThrough: 13)
        let second = waiting.removeDue(journaledThrough: 14)
        let none = waiting.removeDue(journaledThrough: .max)
        #expect(tooSoon.isEmpty && none.isEmpty)
        #expect(Set(first) == [event(1, 9), event(2, 1)])
        #expect(second.map(\.sequence) == [2])
    }

    @Test("Bounds the acknowledgements of a node that sends without end")
    func bound() {
        var waiting = PendingAcknowledgements()
        let count = UInt64(PendingAcknowledgements.limit * 3)
        for number in 1...count { waiting.add([event(1, number)], publishedThrough: number) }
        #expect(waiting.removeDue(journaledThrough: count - 1).count == PendingAcknowledgements.limit - 1)
        #expect(waiting.removeDue(journaledThrough: count).map(\.sequence) == [count])
    }

    @Test("Bounds the acknowledgements of a node that claims many epochs")
    func lives() {
        var waiting = PendingAcknowledgements()
        let lives = UInt64(PendingAcknowledgements.limit + PendingAcknowledgements.lifeLimit * 2)
        for life in 1...lives { waiting.add([event(life, 1)], publishedThrough: 1) }
        let acks = waiting.removeDue(journaledThrough: 1)
        #expect(acks.count == PendingAcknowledgements.limit - 1 + PendingAcknowledgements.lifeLimit)
    }
}
