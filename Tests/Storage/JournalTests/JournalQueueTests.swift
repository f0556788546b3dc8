import CaptureModel
import CaptureTestSupport
import Dispatch
import PosixSupport
import Testing

@testable import Journal

@Suite(.timeLimit(.minutes(1))) struct JournalQueueTests {
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

    @Test("Events reach the journal in order and once, however many carry out the queue")
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
        queue.append(event, life: .opens("a"))
        for _ in 0..<JournalQueue.limit { queue.append(event) }
        queue.append(event, life: .closes("a"))
        #expect(queue.dropped == 2)
        let journal = try journal()
        await journal.carryOut(queue)
        let numbers = await journal.pending(limit: .max).map(\.position.sequence)
        #expect(numbers == [1] + Array(4...UInt64(JournalQueue.limit + 2)))
        #expect(queue.dropped == 2)
    }

    @Test("Beyond the bound the oldest event is dropped where every one opens or closes something")
    func boundOfLives() async throws {
        for number in 0...JournalQueue.limit { queue.append(event, life: .opens("\(number)")) }
        let journal = try journal()
        await journal.carryOut(queue)
        #expect(await journal.pending(limit: 1).map(\.position.sequence) == [2])
    }

    @Test("Acknowledgements wait as one for each epoch, the highest, and before the events")
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

    @Test("Nothing waits for a disk that hangs, and what came meanwhile is journaled when it goes on")
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
