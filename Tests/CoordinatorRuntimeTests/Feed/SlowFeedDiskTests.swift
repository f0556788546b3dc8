import CaptureModel
import CaptureTestSupport
import Dispatch
import Glibc
import Journal
import Logging
import PosixSupport
import RigProtocol
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorRuntime

/// The feed while the disk of its journal hangs, or refuses for a while.
@Suite(.timeLimit(.minutes(1))) struct SlowFeedDiskTests {
    private let folder: TemporaryFolder
    private let context: ZeroMQContext
    private let clock = ManualTimeSource()
    private let epoch = Samples.epoch(1)
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        folder = try TemporaryFolder()
        context = try ZeroMQContext()
    }

    private func run(fault: @escaping FileFault, _ body: (FeedService, EventJournal) async throws -> Void) async throws
    {
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path, epoch: epoch, executor: try FileExecutor(name: "feed"), fault: fault)
        let socket = try PublisherSocket(
            context: context, executor: try SocketExecutor(name: "feed"), options: SocketOptions())
        let feed = FeedService(socket: socket, journal: journal, epoch: epoch, clock: clock, log: log)
        let running = Task { await feed.run() }
        try await body(feed, journal)
        running.cancel()
        await running.value
        await socket.close()
    }

    @Test("A disk that hangs keeps the coordinator from answering nodes, and what it loses counts as kept")
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
            feed.publish(events.append(event))
            await hanging.wait { $0 }
            for _ in 1..<count { feed.publish(events.append(event)) }
            #expect(feed.journaledSequence() == 0, "it answers while the disk hangs")
            #expect(feed.takeLoss() == nil)
            released.signal()
            // Behind the last one all have been through.
            while !Task.isCancelled, await journal.progress.sequence < count { await Task.yield() }
            while !Task.isCancelled, feed.journaledSequence() == 0 { await Task.yield() }
            #expect(feed.journaledSequence() == 1, "2 to 9 were lost")
            #expect(feed.takeLoss() == 2...9)
            #expect(feed.journaledSequence() > 9)
            #expect(await journal.pending(limit: 3).map(\.position.sequence) == [1, 10, 11])
        }
    }

    @Test("Events that a disk has refused wait for another event, though it works again")
    func refused() async throws {
        let disk = FaultyDisk()
        disk.fail(.every(.write, code: ENOSPC))
        try await run(fault: disk.fault) { feed, journal in
            var events = EventLog(epoch: epoch)
            feed.publish(events.append(event))
            while !Task.isCancelled, await journal.progress.problem == nil { await Task.yield() }
            disk.fail(nil)
            // Whoever sleeps: the beats, and who tries again.
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(1))
            while !Task.isCancelled, feed.journaledSequence() == 0 { await Task.yield() }
            #expect(feed.journaledSequence() == 1)
        }
    }

    @Test("Events that were lost before a restart are taken for told after it")
    func hole() async throws {
        let node = try NodeName("north")
        var log = EventLog(epoch: epoch)
        let told = (UInt64(1)...5).compactMap { number in
            log.append(NumberedEvent(epoch: Samples.epoch(7), sequence: number, event: event), from: node)
        }
        let disk = FaultyDisk()
        var journal: EventJournal? = try EventJournal(
            folder: folder.path, epoch: epoch, executor: try FileExecutor(name: "feed"), fault: disk.fault)
        for event in told where event.sequence != 3 {
            await journal?.append(try WireCoding.feed.encode(event.wire), as: event.sequence)
        }
        journal = nil
        let next = try EventJournal(
            folder: folder.path, epoch: Samples.epoch(2), executor: try FileExecutor(name: "feed"), fault: disk.fault)
        var after = EventLog(epoch: Samples.epoch(2), journaled: await FeedService.events(in: next))
        let again = told.map(\.source).filter { after.append($0, from: node) != nil }
        #expect(again.map(\.sequence) == [3, 4, 5])
    }

    @Test("An event that cannot be read keeps everything behind it from whoever asks for a replay")
    func unreadable() async throws {
        try await run(fault: { _, _ in nil }) { feed, journal in
            var events = EventLog(epoch: epoch)
            let readable = try WireCoding.feed.encode(events.append(event).wire)
            // A whole page of nothing, one between, and bytes that are no message.
            for _ in 0...WireLimits.eventsPerReplay { await journal.append([]) }
            await journal.append(readable)
            await journal.append([0xFF])
            await journal.append(readable)
            var request = WireGetEvents()
            request.coordinatorEpoch = epoch.rawValue
            let answer = await feed.replay(request)
            #expect(answer.events.count == 2)
            #expect(answer.events.allSatisfy { (try? FeedEvent(wire: $0)) != nil })
            #expect(answer.lastSequence == UInt64(WireLimits.eventsPerReplay) + 4)
            #expect(await feed.droppedMessages()["feed.malformed"] == UInt64(WireLimits.eventsPerReplay) + 2)
        }
    }
}
