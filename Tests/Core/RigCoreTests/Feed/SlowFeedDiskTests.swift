import CaptureModel
import CaptureTestSupport
import Dispatch
import Glibc
import Logging
import PosixSupport
import RigTestSupport
import Testing

@testable import Journal
@testable import RigCore

/// The feed while the disk of its journal hangs, or refuses for a while.
@Suite(.timeLimit(.minutes(10))) struct SlowFeedDiskTests {
    private let folder: TemporaryFolder
    private let clock = ManualTimeSource()
    private let epoch = Samples.epoch(1)
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(fault: @escaping FileFault, _ body: (EventFeed, EventJournal) async throws -> Void) async throws {
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path, epoch: epoch, executor: try ThreadExecutor(name: "feed"), fault: fault)
        let feed = EventFeed(journal: journal, epoch: epoch, clock: clock, log: log)
        let running = Task { await feed.run { _ in } }
        try await body(feed, journal)
        running.cancel()
        await running.value
    }

    @Test("Answers nodes while a disk hangs, and counts what is lost")
    func hangs() async throws {
        let (hanging, released) = (Observed(false), DispatchSemaphore(value: 0))
        let fault: FileFault = { step, _ in
            guard step == .write, !hanging.value else { return nil }
            hanging.change { $0 = true }
            released.wait()
            return nil
        }
        let count = FeedQueue.limit + 9
        try await run(fault: fault) { feed, journal in
            var events = EventLog(epoch: epoch)
            feed.append(events.append(event))
            await hanging.wait { $0 }
            for _ in 1..<count { feed.append(events.append(event)) }
            #expect(feed.journaledSequence() == 0, "it answers while the disk hangs")
            #expect(feed.removeLoss() == nil)
            released.signal()
            // Behind the last one all have been through.
            while !Task.isCancelled, await journal.progress.sequence < count { await Task.yield() }
            while !Task.isCancelled, feed.journaledSequence() == 0 { await Task.yield() }
            #expect(feed.journaledSequence() == 1, "2 to 9 were lost")
            #expect(feed.removeLoss() == 2...9)
            #expect(feed.journaledSequence() > 9)
            #expect(await journal.pending(limit: 3).map(\.position.sequence) == [1, 10, 11])
        }
    }

    @Test("Writes refused events when the disk works again")
    func refused() async throws {
        let disk = FaultyDisk()
        disk.fail(.every(.write, code: ENOSPC))
        try await run(fault: disk.fault) { feed, journal in
            var events = EventLog(epoch: epoch)
            feed.append(events.append(event))
            while !Task.isCancelled, await journal.progress.problem == nil { await Task.yield() }
            disk.fail(nil)
            // Who tries again.
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(1))
            while !Task.isCancelled, feed.journaledSequence() == 0 { await Task.yield() }
            #expect(feed.journaledSequence() == 1)
        }
    }

    @Test("Reports events lost before a restart as lost")
    func hole() async throws {
        let node = try NodeName("north")
        var log = EventLog(epoch: epoch)
        let told = (UInt64(1)...5).compactMap { number in
            log.append(NumberedEvent(epoch: Samples.epoch(7), sequence: number, event: event), from: node)
        }
        let disk = FaultyDisk()
        var journal: EventJournal? = try EventJournal(
            folder: folder.path, epoch: epoch, executor: try ThreadExecutor(name: "feed"), fault: disk.fault)
        for event in told where event.sequence != 3 {
            await journal?.append(event)
        }
        journal = nil
        let next = try EventJournal(
            folder: folder.path, epoch: Samples.epoch(2), executor: try ThreadExecutor(name: "feed"), fault: disk.fault)
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let feed = EventFeed(journal: next, epoch: Samples.epoch(2), clock: clock, log: quiet)
        var after = EventLog(epoch: Samples.epoch(2), journaled: await feed.earlierEvents())
        let again = told.map(\.source).filter { after.append($0, from: node) != nil }
        #expect(again.map(\.sequence) == [3, 4, 5])
    }

    @Test("Replays the events behind an unreadable one")
    func unreadable() async throws {
        try await run(fault: { _, _ in nil }) { feed, journal in
            var events = EventLog(epoch: epoch)
            let readable = JournalEventDocument(events.append(event).source, from: nil).bytes
            // A whole page of nothing, one between, and bytes that are not a message.
            let limit = 400
            for _ in 0...limit { await journal.append(document: []) }
            await journal.append(document: readable)
            await journal.append(document: [0xFF])
            await journal.append(document: readable)
            let page = await feed.page(after: EventPosition(epoch: epoch, sequence: 0), limit: limit)
            #expect(page.events.count == 2)
            #expect(page.lastSequence == UInt64(limit) + 4)
            #expect(await feed.unreadable == UInt64(limit) + 2)
        }
    }
}
