import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Testing

@testable import Journal

@Suite struct EventJournalTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func journal(_ epoch: UInt64, limitBytes: Int64 = 1 << 20) throws -> EventJournal {
        try EventJournal(
            folder: folder.path, epoch: try #require(Epoch(rawValue: epoch)), limitBytes: limitBytes,
            executor: try ThreadExecutor(name: "events"), fault: disk.fault)
    }

    private func numbers(_ journal: EventJournal) async -> [String] {
        await journal.pending(limit: .max).map { "\($0.position.epoch.rawValue):\($0.position.sequence)" }
    }

    @Test func `events are numbered from one and wait until acknowledged`() async throws {
        let journal = try journal(7)
        for byte in UInt8(1)...5 { #expect(await journal.append(document: [byte]) == UInt64(byte)) }
        #expect(await journal.pending(limit: 2).map(\.document) == [[1], [2]])
        let second = EventPosition(epoch: journal.epoch, sequence: 2)
        #expect(await journal.pending(after: second, limit: 2).map(\.document) == [[3], [4]])
        await journal.acknowledge(journal.epoch, through: 3)
        await journal.acknowledge(journal.epoch, through: 1)
        #expect(await numbers(journal) == ["7:4", "7:5"])
        #expect(await journal.pending(after: second, limit: 9).map(\.document) == [[4], [5]])
        #expect(await journal.counters.acknowledged == 3)
    }

    @Test func `what was not acknowledged before a restart comes first after it, once`() async throws {
        var first: EventJournal? = try journal(7)
        for byte in UInt8(1)...4 { await first?.append(document: [byte]) }
        await first?.acknowledge(try #require(first?.epoch), through: 2)
        first = nil

        var second: EventJournal? = try journal(8)
        await second?.append(document: [9])
        #expect(await second?.counters.recovered == 2)
        #expect(await second?.pending(limit: 9).map(\.document) == [[3], [4], [9]])
        let third = EventPosition(epoch: try #require(Epoch(rawValue: 7)), sequence: 3)
        #expect(await second?.pending(after: third, limit: 9).map(\.document) == [[4], [9]])
        await second?.acknowledge(third.epoch, through: 4)
        second = nil

        let last = try journal(9)
        #expect(await numbers(last) == ["8:1"])
        await last.acknowledge(try #require(Epoch(rawValue: 8)), through: .max)
        #expect(await numbers(last) == [])
        #expect(try folder.names().filter { $0.hasSuffix(".events") }.count <= 1)
    }

    @Test func `a lifetime that ended before its first event is taken for one older than all`() async throws {
        var lifetime: EventJournal? = try journal(7)
        await lifetime?.begin()
        #expect(try folder.names().filter { $0.hasSuffix(".events") } == [], "there is nothing it could stand behind")
        await lifetime?.append(document: [1])
        for silent in UInt64(8)...9 {
            lifetime = nil
            lifetime = try journal(silent)
            await lifetime?.begin()
        }
        lifetime = nil
        var last: EventJournal? = try journal(10)
        await last?.begin()
        await last?.append(document: [2])
        for _ in 1...2 {
            for silent in UInt64(8)...9 {
                let start = EventPosition(epoch: try #require(Epoch(rawValue: silent)), sequence: 0)
                #expect(await last?.pending(after: start, limit: 9).map(\.document) == [[2]])
                #expect(await last?.knows(start) == true)
                let told = EventPosition(epoch: start.epoch, sequence: 3)
                #expect(await last?.knows(told) == false, "it told events that are held no more")
            }
            let unknown = EventPosition(epoch: try #require(Epoch(rawValue: 99)), sequence: 0)
            #expect(await last?.pending(after: unknown, limit: 9).map(\.document) == [[1], [2]])
            #expect(await last?.knows(unknown) == false)
            last = nil
            last = try journal(10)
        }
        #expect(
            try folder.names().filter { $0.hasSuffix(".events") }.count == 2, "a silent life has no file of its own")
        #expect(await last?.counters.damaged == 0)
    }

    @Test func `at most 256 lives in a row that end before their first event are noted`() async throws {
        var lifetime: EventJournal? = try journal(7)
        await lifetime?.append(document: [1])
        for silent in UInt64(1001)...1257 {
            lifetime = nil
            lifetime = try journal(silent)
            await lifetime?.begin()
        }
        for _ in 1...2 {
            for (epoch, isKnown) in [(UInt64(1001), true), (1256, true), (1257, false)] {
                let start = EventPosition(epoch: try #require(Epoch(rawValue: epoch)), sequence: 0)
                #expect(await lifetime?.knows(start) == isKnown, "life \(epoch)")
            }
            lifetime = nil
            lifetime = try journal(8)
        }
    }

    @Test func `a disk that refuses the note of a lifetime refuses the lifetime`() async throws {
        var lifetime: EventJournal? = try journal(7)
        await lifetime?.append(document: [1])
        lifetime = nil
        disk.fail(.every(.write, code: ENOSPC))
        lifetime = try journal(8)
        await lifetime?.begin()
        disk.fail(nil)
        await lifetime?.append(document: [2])
        lifetime = nil
        let last = try journal(9)
        #expect(await last.pending(limit: 9).map(\.document) == [[1], [2]])
        #expect(await last.counters.damaged == 0)
    }

    @Test func `acknowledging what never was does no harm`() async throws {
        let journal = try journal(7)
        await journal.acknowledge(try #require(Epoch(rawValue: 99)), through: .max)
        await journal.acknowledge(journal.epoch, through: .max)
        #expect(await journal.append(document: [1]) == 1)
        #expect(await numbers(journal) == ["7:1"])
        let beyond = EventPosition(epoch: journal.epoch, sequence: .max)
        #expect(await journal.pending(after: beyond, limit: 9) == [])
        #expect(await journal.pending(limit: -1) == [])
    }

    @Test func `a full journal drops the oldest, counts them and shows the gap`() async throws {
        var journal: EventJournal? = try journal(7, limitBytes: 32 << 10)
        let payload = [UInt8](repeating: 5, count: 1000)
        for _ in 0..<100 { await journal?.append(document: payload) }
        let kept = try #require(await journal?.pending(limit: .max).map(\.position.sequence))
        let dropped = try #require(await journal?.counters.dropped)
        #expect(kept.last == 100)
        #expect(kept.first == dropped + 1 && dropped > 0)
        #expect(kept.count > 20)
        #expect(kept == Array((dropped + 1)...100))
        #expect(try bytesOnDisk() <= 32 << 10)
        journal = nil
        let reopened = try self.journal(8, limitBytes: 32 << 10)
        #expect(await reopened.pending(limit: .max).map(\.position.sequence) == kept)
    }

    @Test func `acknowledged events take no room for ever`() async throws {
        let journal = try journal(7, limitBytes: 32 << 10)
        for number in UInt64(1)...500 {
            await journal.append(document: [UInt8](repeating: 5, count: 1000))
            await journal.acknowledge(journal.epoch, through: number)
        }
        #expect(await journal.counters.dropped == 0)
        #expect(try bytesOnDisk() <= 32 << 10)
    }

    private func bytesOnDisk() throws -> Int {
        try folder.names().filter { $0.hasSuffix(".events") }.reduce(0) { $0 + (try folder.read($1).count) }
    }

    @Test func `a file cut off anywhere loses only its last event`() async throws {
        let whole = try await threeEvents()
        for length in stride(from: whole.count - 1, through: 0, by: -1) {
            try write(whole[..<length])
            let journal = try journal(8)
            let found = await journal.pending(limit: .max).map(\.document)
            let expected: [[UInt8]] = [[1, 1], [2, 2], [3, 3]]
            #expect(found == Array(expected[..<(length / (whole.count / 3))]))
            #expect(await journal.counters.damaged == (length % (whole.count / 3) == 0 ? 0 : 1))
        }
    }

    @Test func `a flipped bit anywhere loses only the event it is in`() async throws {
        let whole = try await threeEvents()
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            try write(damaged[...])
            let journal = try journal(8)
            let found = await journal.pending(limit: .max).map(\.document)
            #expect(
                found == [[1, 1], [2, 2], [3, 3]].enumerated().filter { $0.offset != index / 51 }.map(\.element))
            #expect(await journal.counters.damaged == 1)
        }
    }

    /// The bytes of a journal file of three events of 51 bytes each.
    private func threeEvents() async throws -> [UInt8] {
        let journal = try journal(7)
        for byte in UInt8(1)...3 { await journal.append(document: [byte, byte]) }
        let bytes = try folder.read("00000001.events")
        #expect(bytes.count == 153)
        return bytes
    }

    private func write(_ bytes: ArraySlice<UInt8>) throws {
        for name in try folder.names() where name.hasSuffix(".events") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/00000001.events"))
    }

    @Test func `events of a full disk are delivered, and counted as not written`() async throws {
        var journal: EventJournal? = try journal(7)
        await journal?.append(document: [1])
        disk.fail(.every(.write, code: ENOSPC))
        await journal?.append(document: [2])
        #expect(await journal?.counters.unpersisted == 1)
        #expect(await journal?.lastProblem?.code == ENOSPC)
        disk.fail(nil)
        await journal?.append(document: [3])
        #expect(await journal?.lastProblem == nil)
        #expect(await journal?.pending(limit: 9).map(\.document) == [[1], [2], [3]])
        journal = nil
        let reopened = try self.journal(8)
        #expect(
            await reopened.pending(limit: 9).map(\.document) == [[1], [2], [3]], "it is written once the disk works")
        #expect(await reopened.counters.damaged == 0)
    }

    @Test func `what a disk has refused waits for another event, though it works again`() async throws {
        let journal = try journal(7)
        let (clock, told) = (ManualTimeSource(), Observed<[EventJournalProgress]>([]))
        let keeping = Task {
            await journal.keepWriting(clock: clock) { progress in told.change { $0.append(progress) } }
        }
        for round in UInt64(1)...2 {
            disk.fail(.every(.write, code: ENOSPC))
            await journal.append(document: [1])
            await told.wait { $0.count == Int(round) * 2 - 1 }
            #expect(told.value.last?.problem?.code == ENOSPC && told.value.last?.sequence == round - 1)
            await clock.run(until: clock.now() + EventJournal.retryInterval * 3)
            disk.fail(nil)
            await clock.step()
            await told.wait { $0.count == Int(round) * 2 }
            #expect(told.value.last == EventJournalProgress(sequence: round, lost: nil, problem: nil))
        }
        #expect(await journal.counters.unpersisted == 2)
        keeping.cancel()
        await keeping.value
    }

    @Test func `that a disk refuses events is told with each of them, or never taken back`() {
        var writing = JournalWriteState()
        #expect(writing.tried(isWaiting: false) == [])
        #expect(writing.tried(isWaiting: true) == [.tell, .tryAgain])
        #expect(writing.tried(isWaiting: true) == [] && writing.state == .refused)
        #expect(writing.tried(isWaiting: false) == [.tell] && writing.state == .writing)
        #expect(writing.tried(isWaiting: true) == [.tell, .tryAgain])
    }

    @Test func `what a disk has refused before anybody kept the journal waits for ever`() async throws {
        let journal = try journal(7)
        disk.fail(.every(.write, code: EIO))
        await journal.append(document: [1])
        disk.fail(nil)
        let (clock, told) = (ManualTimeSource(), Observed<[Int32?]>([]))
        let keeping = Task {
            await journal.keepWriting(clock: clock) { progress in told.change { $0.append(progress.problem?.code) } }
        }
        await clock.step()
        await told.wait { $0 == [EIO, nil] }
        keeping.cancel()
        await keeping.value
    }

    @Test func `events that found no place while the disk was full count as written`() async throws {
        var journal: EventJournal? = try journal(7)
        disk.fail(.every(.write, code: ENOSPC))
        for _ in 0..<4100 { await journal?.append(document: [1]) }
        #expect(await journal?.progress.lost == 1...4)
        disk.fail(nil)
        await journal?.append(document: [2])
        #expect(await journal?.progress == EventJournalProgress(sequence: 4101, lost: 1...4, problem: nil))
        journal = nil
        let reopened = try self.journal(8)
        #expect(await reopened.pending(limit: .max).map(\.position.sequence) == Array(5...4101))
    }

    @Test func `appending does not wait for the disk`() async throws {
        let journal = try journal(7)
        disk.fail(nil)
        for byte in UInt8(1)...20 { await journal.append(document: [byte]) }
        #expect(!disk.steps.contains(.syncFile) && !disk.steps.contains(.syncFolder))
    }

    @Test func `two agents do not share a journal`() throws {
        let journal = try journal(7)
        #expect(throws: FolderInUse.self) { try self.journal(8) }
        withExtendedLifetime(journal) {}
    }

    @Test func `what was begun and not ended before a crash is known after it, acknowledged or not`() async throws {
        var first: EventJournal? = try journal(7, limitBytes: 1 << 20)
        for name in ["a", "b", "c"] { await first?.append(document: Array(name.utf8), lifetime: .opens(name)) }
        await first?.append(document: [0], lifetime: .closes("b"))
        #expect(await first?.unfinished() == [])
        await first?.acknowledge(try #require(first?.epoch), through: .max)
        first = nil

        var second: EventJournal? = try journal(8)
        #expect(await second?.unfinished().map(\.document) == [Array("a".utf8), Array("c".utf8)])
        #expect(await second?.pendingCount == 0)
        await second?.append(document: [1], lifetime: .opens("d"))
        await second?.append(document: [2], lifetime: .closes("a"))
        #expect(await second?.pending(limit: 9).map(\.document) == [[1], [2]])
        second = nil

        var third: EventJournal? = try journal(9)
        #expect(await third?.unfinished().map(\.document) == [Array("c".utf8), [1]])
        for name in ["c", "d"] { await third?.append(document: [3], lifetime: .closes(name)) }
        await third?.acknowledge(try #require(Epoch(rawValue: 8)), through: .max)
        await third?.acknowledge(try #require(Epoch(rawValue: 9)), through: .max)
        third = nil

        let last = try journal(10)
        #expect(await last.unfinished() == [])
        #expect(try folder.names().filter { $0.hasSuffix(".events") }.count <= 1)
    }

    @Test func `something that never ends makes the journal grow without end`() async throws {
        let journal = try journal(7, limitBytes: 64 << 10)
        await journal.append(document: [1], lifetime: .opens("for ever"))
        for number in UInt64(2)...2000 {
            await journal.append(document: [UInt8](repeating: 7, count: 200))
            await journal.acknowledge(journal.epoch, through: number)
        }
        let sizes = try folder.names().filter { $0.hasSuffix(".events") }.map {
            try FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.size] as? Int ?? 0
        }
        #expect(sizes.reduce(0, +) <= 80 << 10)
    }
}
