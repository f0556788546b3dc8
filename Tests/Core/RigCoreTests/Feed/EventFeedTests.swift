import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Foundation
import Glibc
import Journal
import Logging
import PosixSupport
import RigTestSupport
import Testing

@testable import RigCore

/// The feed with a journal on a disk that can fail.
@Suite(.timeLimit(.minutes(1))) struct EventFeedTests {
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
        #expect(published.value.map(\.sequence) == (0..<count).map { UInt64($0 + 1) })
        try await check(feed)
    }

    private func ask(_ feed: EventFeed, _ epoch: Epoch?, _ after: UInt64) async -> EventPage {
        await feed.page(after: epoch.map { EventPosition(epoch: $0, sequence: after) }, limit: 400)
    }

    private func numbers(_ page: EventPage) -> [String] {
        page.events.map { "\($0.coordinatorEpoch == Samples.epoch(1) ? "a" : "b")\($0.sequence)" }
    }

    @Test("Events that nobody has read are gone when the coordinator ends")
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

    @Test("A reader who comes back after a life that is held no more is told that it missed nothing")
    func forgottenLife() async throws {
        try await live(Samples.epoch(1), events: 1) { feed in
            let answer = await ask(feed, Samples.epoch(9), 4)
            #expect(numbers(answer) == ["a1"] && answer.isTruncated)
            let beginning = await ask(feed, nil, 0)
            #expect(!beginning.isTruncated)
        }
    }

    @Test("A reader who came in a life that ended before its first event is told all that was before it")
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

    @Test("Nodes forget events that the coordinator's disk has refused")
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
