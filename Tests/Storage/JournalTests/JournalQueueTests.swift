import CaptureModel
import CaptureTestSupport
import Dispatch
import PosixSupport
import Testing

@testable import Journal

@Suite(.timeLimit(.minutes(10))) struct JournalQueueTests {
    private let folder: TemporaryFolder
    private let queue = JournalQueue()
    private let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))

    init() throws {
        folder = try TemporaryFolder()
    }

    private func journal(fault: FileFault? = nil) throws -> EventJournal {
        try EventJournal(
            folder: folder.path, epoch: try #require(Epoch(rawValue: 7)), executor: try ThreadExecutor(name: "events"),
            fault: fault)
    }

    @Test("Writes events in order and once, however many callers drain the queue")
    func order() async throws {
        let journal = try journal()
        for _ in 0..<100 { queue.append(event) }
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 { group.addTask { await journal.carryOut(queue) } }
        }
        #expect(await journal.pending(limit: .max).map(\.position.sequence) == Array(1...100))
    }

    @Test(
        "Beyond the bound the oldest event that opens and closes nothing is dropped and counted, and its number is missing"
    )
    func bound() async throws {
        queue.append(event, lifetime: .opens("a"))
        for _ in 0..<JournalQueue.limit { queue.append(event) }
        queue.append(event, lifetime: .closes("a"))
        #expect(queue.dropped == 2)
        let journal = try journal()
        await journal.carryOut(queue)
        let numbers = await journal.pending(limit: .max).map(\.position.sequence)
        #expect(numbers == [1] + Array(4...UInt64(JournalQueue.limit + 2)))
        #expect(queue.dropped == 2)
    }

    @Test("Drops the oldest event beyond the bound where every event opens or closes something")
    func boundOfLives() async throws {
        for number in 0...JournalQueue.limit { queue.append(event, lifetime: .opens("\(number)")) }
        let journal = try journal()
        await journal.carryOut(queue)
        #expect(await journal.pending(limit: 1).map(\.position.sequence) == [2])
    }

    @Test("Keeps the highest acknowledgement of each epoch, before the events")
    func acknowledgements() async throws {
        let journal = try journal()
        for _ in 0..<3 { queue.append(event) }
        await journal.carryOut(queue)
        queue.append(event)
        for sequence in [UInt64(2), 1] { queue.acknowledge(journal.epoch, through: sequence) }
        for epoch in UInt64(1000)...2000 { queue.acknowledge(try #require(Epoch(rawValue: epoch)), through: .max) }
        await journal.carryOut(queue)
        #expect(await journal.pending(limit: .max).map(\.position.sequence) == [3, 4])
    }

    @Test("Waits for no disk that hangs, and writes the queued events once it recovers")
    func hangs() async throws {
        let (hanging, released) = (Observed(false), DispatchSemaphore(value: 0))
        let journal = try journal { step, _ in
            guard step == .write, !hanging.value else { return nil }
            hanging.change { $0 = true }
            released.wait()
            return nil
        }
        queue.append(event)
        async let carried: Void = journal.carryOut(queue)
        await hanging.wait { $0 }
        for _ in 0..<JournalQueue.limit + 5 { queue.append(event) }
        queue.acknowledge(journal.epoch, through: 1)
        #expect(queue.dropped == 5)
        released.signal()
        await carried
        let numbers = await journal.pending(limit: .max).map(\.position.sequence)
        #expect(numbers == Array(7...UInt64(JournalQueue.limit + 6)))
    }
}

@Suite struct ClaimsTests {
    @Test(
        "A file of headers that each claim the rest of it keeps the start of a daemon busy for minutes",
        .timeLimit(.minutes(10)))
    func claims() throws {
        let position = EventPosition(epoch: try #require(Epoch(rawValue: 7)), sequence: 1)
        let count = 40_000
        var bytes: [UInt8] = []
        let last = EventRecord(kind: .event, position: position, document: [1, 2, 3])
        // Each ends where the last record does, in a line feed.
        for number in 1...count { bytes += header(claiming: (count - number) * 23 + last.bytes.count - 1) }
        let (records, damaged) = EventRecord.parse(bytes + last.bytes)
        #expect(records == [last])
        #expect(damaged == 1)
    }

    /// A header of 23 bytes whose checksum is not that of what it claims.
    private func header(claiming count: Int) -> [UInt8] {
        let digits = String(count, radix: 16)
        return Array("CEJ2 \(String(repeating: "0", count: 8 - digits.count))\(digits) 00000000 ".utf8)
    }

    @Test("Opens a file whose version 1 headers each claim the rest of it in bounded time")
    func claimsOfVersion1() {
        let count = 40_000
        var bytes: [UInt8] = []
        for number in 0..<count {
            bytes += Array("CEJ1\u{1}".utf8) + [7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
            let rest = UInt32((count - number - 1) * 25)
            for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: rest >> (8 * index))) }
        }
        let (records, damaged) = EventRecord.parse(bytes + [0, 0, 0, 0])
        #expect(records == [] && damaged == 1)
    }

    @Test("Combines checksums of parts into that of all their bytes")
    func parts() {
        let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }
        let index = CRC32Index(bytes)
        for (start, end) in [(0, 0), (0, 1), (0, 256), (255, 257), (256, 256), (17, 2999), (512, 3000), (3000, 3000)] {
            #expect(index.checksum(of: start..<end) == CRC32(Array(bytes[start..<end])).value)
        }
        #expect(CRC32(Array("123456789".utf8)).value == 0xCBF4_3926, "the check value of the published algorithm")
    }
}

@Suite struct PackedEventsTests {
    private func event(_ sequence: UInt64, _ document: [UInt8]) -> JournaledEvent {
        JournaledEvent(
            position: EventPosition(epoch: Epoch(rawValue: 7) ?? .random(), sequence: sequence), document: document)
    }

    @Test("Returns each event's own bytes, also after others are removed")
    func ownBytes() {
        var packed = PackedEvents()
        let events = (1...9).map { event($0, Array(repeating: UInt8($0), count: Int($0) % 4)) }
        for event in events { packed.append(event) }
        #expect((0..<packed.count).map { packed[$0] } == events)
        packed.removeAll { $0.sequence % 3 == 1 }
        #expect((0..<packed.count).map { packed[$0].position.sequence } == [2, 3, 5, 6, 8, 9])
        packed.append(event(10, [1, 2]))
        #expect((0..<packed.count).map { packed[$0] }.allSatisfy { $0 == event($0.position.sequence, $0.document) })
        #expect(packed[6].document == [1, 2] && packed[0].document == [2, 2])
        packed.removeAll { _ in true }
        packed.append(event(11, [3]))
        #expect(packed.count == 1 && packed[0] == event(11, [3]))
    }
}
