import PosixSupport
import Testing

@testable import WebGateway

@Suite struct EncodingQueueTests {
    private var queue = EncodingQueue()

    private mutating func entered() throws -> EncodingQueue.Ticket {
        switch queue.enter() {
        case .encodes(let ticket), .waits(let ticket): return ticket
        case .refused: throw CancellationError()
        }
    }

    @Test mutating func `One encodes, and the others follow in order of arrival`() throws {
        let (first, second, third) = (try entered(), try entered(), try entered())
        #expect(queue.encoding == first && queue.waiting == [second, third])
        #expect(queue.end(first, .done) == second)
        #expect(queue.end(second, .failed) == third)
        #expect(queue.end(third, .done) == nil)
        #expect(queue.encoding == nil && queue.waiting.isEmpty)
        #expect(queue.endings == [.done: 2, .failed: 1])
        #expect(try entered() == queue.encoding)
    }

    @Test mutating func `Beyond the limit a request is refused and counted, until one has ended or left`() throws {
        let first = try entered()
        let waiting = try (0..<EncodingQueue.waitingLimit).map { _ in try entered() }
        #expect(queue.isFull)
        #expect(queue.enter() == .refused)
        #expect(queue.enter() == .refused)
        #expect(queue.endings == [.refused: 2])
        #expect(queue.end(first, .done) == waiting[0])
        #expect(!queue.isFull)
        _ = try entered()
        #expect(queue.enter() == .refused)
        let hasLeft = queue.leave(waiting[3])
        #expect(hasLeft)
        _ = try entered()
        #expect(queue.endings == [.refused: 3, .done: 1, .left: 1])
    }

    @Test mutating func `One that leaves is passed over, and the order of the others stays`() throws {
        let (first, second, third, fourth) = (try entered(), try entered(), try entered(), try entered())
        let left = [queue.leave(third), queue.leave(third)]
        #expect(left == [true, false], "the second time it waits no longer")
        #expect(queue.end(first, .left) == second)
        #expect(queue.end(second, .done) == fourth)
    }

    @Test mutating func `What has ended, or does not encode yet, changes nothing`() throws {
        let (first, second) = (try entered(), try entered())
        #expect(queue.end(second, .done) == nil)
        let hasLeft = queue.leave(first)
        #expect(!hasLeft, "it encodes, and is to be ended")
        #expect(queue.encoding == first && queue.waiting == [second])
        #expect(queue.end(first, .done) == second)
        #expect(queue.end(first, .done) == nil)
        #expect(queue.encoding == second && queue.endings == [.done: 1])
    }
}

@Suite(.timeLimit(.minutes(10))) struct EncoderTurnsTests {
    private let turns = EncoderTurns()
    private let begun: AsyncStream<Int>
    private let beginning: AsyncStream<Int>.Continuation

    init() {
        (begun, beginning) = AsyncStream.makeStream(of: Int.self)
    }

    /// A request that encodes until it is told to end.
    private func request(_ number: Int) -> (task: Task<Int, any Error>, end: AsyncStream<Void>.Continuation) {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [turns, beginning] in
            try await turns.take {
                beginning.yield(number)
                for await _ in ends { break }
                try Task.checkCancellation()
                return number
            }
        }
        return (task, end)
    }

    private func until(_ condition: (EncoderFigures) -> Bool) async {
        while !condition(await turns.figures) { await Task.yield() }
    }

    @Test func `One encodes at a time, and a cancelled one leaves its place to the next`() async throws {
        var order = begun.makeAsyncIterator()
        let first = request(1)
        #expect(await order.next() == 1)
        let second = request(2)
        await until { $0.waiting == 1 }
        let third = request(3)
        await until { $0.waiting == 2 }
        second.task.cancel()
        await #expect(throws: CancellationError.self) { try await second.task.value }
        #expect(await turns.figures == EncoderFigures(encoding: 1, waiting: 1, endings: [.left: 1]))
        first.task.cancel()
        first.end.finish()
        await #expect(throws: CancellationError.self) { try await first.task.value }
        #expect(await order.next() == 3)
        third.end.finish()
        #expect(try await third.task.value == 3)
        #expect(await turns.figures == EncoderFigures(encoding: 0, waiting: 0, endings: [.left: 2, .done: 1]))
    }

    @Test func `A full queue refuses, and one that fails leaves its place`() async throws {
        struct Failed: Error {}
        var order = begun.makeAsyncIterator()
        let first = request(1)
        #expect(await order.next() == 1)
        let waiting = (0..<EncodingQueue.waitingLimit).map { _ in
            Task { [turns] in try await turns.take { throw Failed() } }
        }
        await until { $0.waiting == waiting.count }
        #expect(await turns.isFull)
        await #expect(throws: EncoderTurns.Full.self) { try await turns.take {} }
        first.end.finish()
        for task in waiting { await #expect(throws: Failed.self) { try await task.value } }
        let failed = UInt64(EncodingQueue.waitingLimit)
        #expect(
            await turns.figures
                == EncoderFigures(encoding: 0, waiting: 0, endings: [.done: 1, .failed: failed, .refused: 1]))
    }
}

@Suite struct MovieSpaceTests {
    private let space = MovieSpace(path: "/nowhere", limit: 1000)
    private let free = MovieSpace.reserve + 1000

    @Test func `Room is taken up to the limit, and free again when it is released or not needed`() throws {
        var first: MovieSpace.Room? = try space.take(600, free: free)
        #expect(throws: MovieSpace.Shortage.inUse) { try space.take(401, free: free) }
        let second = try space.take(400, free: free)
        first?.shrink(to: 100)
        let third = try space.take(500, free: free)
        #expect(throws: MovieSpace.Shortage.inUse) { try space.take(1, free: free) }
        first = nil
        #expect(throws: MovieSpace.Shortage.inUse) { try space.take(101, free: free) }
        second.shrink(to: 500)
        third.shrink(to: 0)
        #expect(throws: MovieSpace.Shortage.inUse) { try space.take(601, free: free) }
        withExtendedLifetime((second, third)) {}
    }

    @Test func `What can never fit and what the disk lacks are told apart`() throws {
        #expect(throws: MovieSpace.Shortage.tooLarge(needed: 1001, limit: 1000)) { try space.check(1001) }
        #expect(throws: MovieSpace.Shortage.disk(path: "/nowhere", needed: free, free: free - 1)) {
            try space.take(1000, free: free - 1)
        }
        #expect(throws: MovieSpace.Shortage.disk(path: "/nowhere", needed: free, free: 0)) {
            try space.take(1000, free: 0)
        }
        _ = try space.take(1000, free: free)
        _ = try space.take(1000, free: free)
    }
}
