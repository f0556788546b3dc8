import CaptureModel
import RigConfiguration
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct CollectQueueTests {
    private static let chunk = CollectQueue.chunkByteCount
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    private func file(_ byteCount: Int64) -> SpooledFile {
        SpooledFile(kind: .photo, byteCount: byteCount, digest: Samples.digest([1]))
    }

    private func ask(_ queue: inout CollectQueue, at now: LocalTime? = nil) -> [CollectChunk] {
        var chunks: [CollectChunk] = []
        while let chunk = queue.next(at: now ?? start) { chunks.append(chunk) }
        return chunks
    }

    @Test("Stops asking for an abandoned file, and keeps one that is being committed")
    func abandoned() throws {
        var queue = CollectQueue()
        let keys = try (1...4).map { try Samples.fileKey($0) }
        for key in keys.prefix(3) { queue.wait(key, file(10), isAwaited: key != keys[2]) }
        _ = queue.nextToBegin()
        queue.add(keys[3], file(10), from: 0)
        let isGivenUp = keys.map { queue.abandon($0) }
        #expect(isGivenUp == [false, true, true, true])
        queue.add(keys[0], file(10), from: 0)
        #expect(queue.nextToBegin() == nil)
        let chunks = ask(&queue)
        #expect(chunks.map(\.key) == [keys[0]] && queue.received(chunks[0], at: start) == .taken)
        let isTakenAway = queue.abandon(keys[0])
        #expect(!isTakenAway && queue.isWhole(keys[0]))
    }

    @Test("Requests a large file without gaps within the node's window")
    func window() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(Self.chunk * 20 + 5), from: 0)
        let first = ask(&queue)
        #expect(first.map(\.offset) == (0..<Int64(CollectQueue.window)).map { $0 * Self.chunk })
        var received: [CollectChunk] = []
        var waiting = first
        while !waiting.isEmpty {
            let chunk = waiting.removeFirst()
            #expect(queue.received(chunk, at: start) == .taken)
            received.append(chunk)
            queue.written(key)
            waiting += ask(&queue)
            #expect(waiting.count <= CollectQueue.window)
        }
        #expect(received.map(\.offset) == (0...20).map { $0 * Self.chunk })
        #expect(received.last?.count == 5)
        #expect(queue.isWhole(key))
        queue.remove(key)
        #expect(queue.isEmpty)
        #expect(queue.deadline == nil)
    }

    @Test("Asks for no more of a node while the store has not written what came, and loses no place")
    func unwritten() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(Self.chunk * 40), from: 0)
        var asked = ask(&queue)
        var received: [CollectChunk] = []
        while !asked.isEmpty {
            let chunk = asked.removeFirst()
            #expect(queue.received(chunk, at: start) == .taken)
            received.append(chunk)
            asked += ask(&queue)
        }
        #expect(received.count == CollectQueue.unwrittenLimit && queue.pendingCount == received.count)
        #expect(queue.ranks.isEmpty && queue.nextWake(askingFrom: start) == nil)
        queue.written(key)
        #expect(ask(&queue).map(\.offset) == [Int64(CollectQueue.unwrittenLimit) * Self.chunk])
        queue.remove(key)
        #expect(queue.pendingCount == CollectQueue.unwrittenLimit - 1, "what came is still to be written")
        for _ in 1..<CollectQueue.unwrittenLimit { queue.written(key) }
        #expect(queue.pendingCount == 0)
    }

    @Test("Asks for files in the order in which they were to be begun, whichever the store begins first")
    func begunInAnyOrder() throws {
        var queue = CollectQueue()
        let keys = try (1...3).map { try Samples.fileKey($0) }
        for key in keys { queue.wait(key, file(10), isAwaited: true) }
        while queue.nextToBegin() != nil {}
        for key in [keys[1], keys[2], keys[0]] { queue.add(key, file(10), from: 0) }
        #expect(ask(&queue).map(\.key) == keys)
    }

    @Test("Continues a file at the offset that was durable before a restart")
    func resume() throws {
        var queue = CollectQueue()
        let (half, whole) = (try Samples.fileKey(1), try Samples.fileKey(2))
        queue.add(half, file(Self.chunk * 2), from: Self.chunk + 7)
        queue.add(whole, file(100), from: 100)
        queue.add(half, file(5), from: 0)
        #expect(ask(&queue) == [CollectChunk(key: half, offset: Self.chunk + 7, count: Self.chunk - 7)])
        #expect(queue.isWhole(whole))
        #expect(!queue.isWhole(half))
    }

    @Test("Requests a file once the pace allows it")
    func pacedAndForgotten() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(Self.chunk * 2), from: 0)
        let first = queue.next(at: start)
        #expect(queue.received(try #require(first), at: start) == .taken)
        #expect(queue.deadline == nil)
        #expect(queue.nextWake(askingFrom: start) == start)
        #expect(queue.nextWake(askingFrom: start + .seconds(1)) == start + .seconds(1))
        let last = queue.next(at: start)
        #expect(last?.offset == Self.chunk)
        #expect(queue.nextWake(askingFrom: start) == queue.deadline, "nothing is left to ask for")
    }

    @Test("Ignores bytes that nobody requested")
    func unexpected() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(Self.chunk * 3), from: 0)
        let chunks = ask(&queue)
        #expect(queue.received(chunks[1], at: start) == .unexpected, "the first is missing")
        #expect(queue.received(.init(key: key, offset: 0, count: Self.chunk + 1), at: start) == .unexpected)
        #expect(queue.received(.init(key: key, offset: 3, count: 5), at: start) == .unexpected)
        #expect(queue.received(.init(key: key, offset: -1, count: .min), at: start) == .unexpected)
        #expect(queue.received(.init(key: try Samples.fileKey(2), offset: 0, count: 1), at: start) == .unexpected)
        #expect(queue.received(chunks[0], at: start) == .taken)
        #expect(queue.received(chunks[0], at: start) == .unexpected, "a duplicate")
        #expect(!queue.isWhole(key))
    }

    @Test("Fails a file whose copy has become shorter")
    func short() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(100), from: 0)
        _ = ask(&queue)
        #expect(queue.received(.init(key: key, offset: 0, count: 60), at: start) == .short)
        #expect(!queue.isWhole(key))
    }

    @Test("Requests lost chunks again, and only those")
    func overdue() throws {
        var queue = CollectQueue()
        let key = try Samples.fileKey()
        queue.add(key, file(Self.chunk * 4), from: 0)
        let chunks = ask(&queue)
        #expect(queue.received(chunks[0], at: start) == .taken)
        #expect(queue.restartIfOverdue(at: start + CollectQueue.patience.next - .nanoseconds(1)) == false)
        let deadline = try #require(queue.deadline)
        #expect(deadline == start + CollectQueue.patience.next)
        #expect(queue.restartIfOverdue(at: deadline) == true)
        #expect(ask(&queue, at: deadline) == Array(chunks.dropFirst()))
        #expect(queue.restartIfOverdue(at: deadline) == false)
        queue.restart()
        #expect(queue.received(chunks[1], at: start) == .unexpected, "of the connection that was lost")
        #expect(ask(&queue, at: deadline) == Array(chunks.dropFirst()))
    }

    /// Begins whatever may be begun.
    private func begin(_ queue: inout CollectQueue) -> [FileKey] {
        var begun: [FileKey] = []
        while let (key, file) = queue.nextToBegin() {
            queue.add(key, file, from: 0)
            begun.append(key)
        }
        return begun
    }

    @Test("Fetches a long backlog oldest first with a bounded number of open files")
    func backlog() throws {
        var queue = CollectQueue()
        let keys = try (1...40).map { try Samples.fileKey($0) }
        for key in keys { queue.wait(key, file(10), isAwaited: false) }
        queue.wait(keys[0], file(10), isAwaited: false)
        var begun = begin(&queue)
        #expect(begun == Array(keys.prefix(CollectQueue.backlogLimit)))
        while begun.count < keys.count {
            queue.remove(begun[begun.count - CollectQueue.backlogLimit])
            begun += begin(&queue)
        }
        #expect(begun == keys)
    }

    @Test("Fetches a backlog no faster than manifests are written")
    func manifestsAwaited() throws {
        var queue = CollectQueue()
        let keys = try (1...20).map { try Samples.fileKey($0) }
        for key in keys { queue.wait(key, file(10), isAwaited: false) }
        let begun = begin(&queue)
        for key in begun { queue.stored(key) }
        #expect(begin(&queue) == [])
        queue.released(begun[3])
        #expect(begin(&queue) == Array(keys[8..<16]))
        queue.wait(try Samples.fileKey(99), file(10), isAwaited: true)
        #expect(begin(&queue) == [try Samples.fileKey(99)])
    }

    @Test("Fetches an awaited shot before the backlog")
    func awaitedFirst() throws {
        var queue = CollectQueue()
        let old = try (1...20).map { try Samples.fileKey($0) }
        for key in old { queue.wait(key, file(Self.chunk * 100), isAwaited: false) }
        _ = begin(&queue)
        let asked = ask(&queue)
        let fresh = try Samples.fileKey(99)
        queue.wait(fresh, file(Self.chunk + 1), isAwaited: true)
        #expect(begin(&queue) == [fresh])
        for chunk in asked.prefix(2) { #expect(queue.received(chunk, at: start) == .taken) }
        #expect(ask(&queue).map(\.key) == [fresh, fresh])
    }

    @Test("Moves a file to the front when somebody awaits it")
    func awaitedLater() throws {
        var queue = CollectQueue()
        let keys = try (1...20).map { try Samples.fileKey($0) }
        for key in keys { queue.wait(key, file(10), isAwaited: false) }
        queue.wait(keys[19], file(10), isAwaited: true)
        #expect(begin(&queue).first == keys[19])
    }

    /// A file of a shot's clip.
    private func clip(_ shot: Int64, _ device: Int = 1) throws -> (key: FileKey, file: SpooledFile) {
        let capture = CaptureKey(shot: Samples.shot(shot), device: try DeviceID("north/cam\(device)"))
        let file = SpooledFile(kind: .pairedVideo, byteCount: Self.chunk * 100, digest: Samples.digest([2]))
        return (FileKey(capture: capture, kind: .pairedVideo), file)
    }

    @Test("Fetches stills before clips of answered and of awaited shots")
    func clips() throws {
        var queue = CollectQueue()
        let (old, oldFile) = try clip(1)
        let still = try Samples.fileKey(2)
        queue.wait(old, oldFile, isAwaited: true)
        queue.wait(still, file(Self.chunk), isAwaited: true)
        _ = begin(&queue)
        #expect(queue.ranks == [.awaitedStill, .awaited] && queue.hasBacklog == false)
        #expect(queue.next(at: start)?.key == still)
        queue.prioritize(old.capture.shot, false)
        #expect(queue.ranks == [.backlog] && queue.hasBacklog)
        #expect(queue.next(.awaited, at: start) == nil)
        #expect(queue.next(limit: 7, at: start) == .init(key: old, offset: 0, count: 7))
        queue.prioritize(old.capture.shot, true)
        #expect(queue.ranks == [.awaited])
    }

    @Test("Fetches queued files first once somebody awaits their shot")
    func promoted() throws {
        var queue = CollectQueue()
        let keys = try (1...20).map { try Samples.fileKey($0) }
        for key in keys { queue.wait(key, file(10), isAwaited: false) }
        queue.prioritize(keys[19].capture.shot, true)
        #expect(begin(&queue).first == keys[19])
    }

    @Test("Leaves room for stills of a new shot beside clips of an answered one")
    func makesRoom() throws {
        var queue = CollectQueue()
        for device in 1...CollectQueue.beginLimit {
            let (key, file) = try clip(1, device)
            queue.wait(key, file, isAwaited: true)
        }
        let begun = begin(&queue)
        #expect(begun.count == CollectQueue.beginLimit)
        let next = queue.next(at: start)
        let asked = try #require(next)
        #expect(queue.received(asked, at: start) == .taken)
        queue.prioritize(Samples.shot(1), false)
        #expect(queue.makeRoom() == nil, "nobody needs it")
        let still = try Samples.fileKey(2)
        queue.wait(still, file(10), isAwaited: true)
        #expect(queue.makeRoom() == begun.last)
        #expect(queue.makeRoom() == nil)
        #expect(begin(&queue) == [still])
        #expect(queue.keys(of: Samples.shot(1)).count == begun.count, "what made room waits for its turn")
    }

    @Test("Keeps a place for the backlog under endless new shots")
    func lastPlace() throws {
        var queue = CollectQueue()
        let old = try Samples.fileKey(1)
        for shot in 2...40 { queue.wait(try Samples.fileKey(Int64(shot)), file(10), isAwaited: true) }
        #expect(begin(&queue).count == CollectQueue.beginLimit)
        queue.wait(old, file(10), isAwaited: false)
        queue.remove(try Samples.fileKey(2))
        #expect(begin(&queue) == [old])
    }

    @Test("Keeps a file in place while a chunk of it is under way or being written")
    func writing() throws {
        var queue = CollectQueue()
        let others = try (1..<CollectQueue.beginLimit).map { try clip(2, $0).key }
        for key in others { queue.add(key, file(Self.chunk), from: 0) }
        let (key, file) = try clip(1)
        queue.add(key, file, from: 0)
        for shot in [1, 2] { queue.prioritize(Samples.shot(Int64(shot)), false) }
        queue.prioritize(Samples.shot(1), true)
        let next = queue.next(.awaited, at: start)
        let chunk = try #require(next)
        queue.prioritize(Samples.shot(1), false)
        queue.wait(try Samples.fileKey(3), self.file(10), isAwaited: true)
        #expect(queue.makeRoom() == others.last)
        queue.add(try Samples.fileKey(4), self.file(10), from: 0)
        #expect(queue.received(chunk, at: start) == .taken)
        #expect(queue.makeRoom() == others.dropLast().last)
        queue.add(try Samples.fileKey(5), self.file(10), from: 0)
        queue.written(key)
        #expect(queue.makeRoom() == key)
    }

    @Test("Keeps the order of files, and goes on where one is blocked")
    func order() throws {
        var queue = CollectQueue()
        let keys = try (1...3).map { try Samples.fileKey($0) }
        for key in keys { queue.add(key, file(10), from: 0) }
        #expect(ask(&queue).map(\.key) == keys)
        queue.remove(keys[0])
        #expect(queue.received(.init(key: keys[0], offset: 0, count: 10), at: start) == .unexpected)
        #expect(queue.received(.init(key: keys[2], offset: 0, count: 10), at: start) == .taken)
        #expect(queue.isWhole(keys[2]))
        #expect(!queue.isWhole(keys[1]))
    }
}

@Suite struct TransferPacerTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    @Test("Keeps within its share of the link")
    func pace() {
        var pacer = TransferPacer(rate: .bytesPerSecond(1_000_000))
        var now = start
        for _ in 0..<100 {
            now = pacer.earliest(at: now)
            pacer.spend(250_000, at: now)
        }
        #expect(now - start == .milliseconds(99 * 250))
        #expect(pacer.earliest(at: now + .seconds(60)) == now + .seconds(60), "a pause saves nothing up")
    }

    @Test("Handles unlimited and absurd rates")
    func extremes() {
        var free = TransferPacer(rate: .unlimited)
        free.spend(.max, at: start)
        #expect(free.earliest(at: start) == start)
        for rate in [Int64.min, 0, 1, .max] {
            var pacer = TransferPacer(rate: .bytesPerSecond(rate))
            pacer.spend(1 << 30, at: start)
            #expect(pacer.earliest(at: start) >= start)
        }
    }
}
