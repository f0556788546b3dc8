import Glibc
import Synchronization
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
struct ExecutorTests {
    /// A user's own actor on a socket's executor.
    private actor Neighbor {
        private let executor: SocketExecutor
        private let dealer: DealerSocket
        private(set) var count = 0

        init(_ executor: SocketExecutor, _ dealer: DealerSocket) {
            self.executor = executor
            self.dealer = dealer
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        nonisolated func countNow() { assumeIsolated { $0.count += 1 } }

        func sendSynchronously() -> SendOutcome {
            dealer.assumeIsolated { $0.send(Message(text: "from a neighbor")) }
        }
    }

    @Test("Lets an inline responder use an actor of the same executor")
    func assumeIsolated() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            let neighbor = Neighbor(rig.far, dealer)
            await router.respondInline { _, request, _ in
                neighbor.countNow()
                return request.message
            }
            for _ in 0..<10 {
                _ = await dealer.send(Message(text: "x"))
                _ = await dealer.receive()
            }
            #expect(await neighbor.count == 10)
        }
    }

    @Test("Sends from an actor on the socket's executor without changing threads")
    func neighbor() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            #expect(await Neighbor(rig.near, dealer).sendSynchronously() == .sent)
            #expect(await router.receive()?.message.texts == ["from a neighbor"])
        }
    }

    @Test("Answers inline with true times, and keeps those requests from receive()")
    func inlineStamps() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            await router.respondInline { _, request, sendTime in
                Message(Self.bytes(request.receivedAtNanoseconds), Self.bytes(sendTime()))
            }
            for _ in 0..<100 {
                let sentAt = Mutex<Int64>(0)
                let outcome = await dealer.send { time in
                    sentAt.withLock { $0 = time }
                    return Message(text: "probe")
                }
                #expect(outcome == .sent)
                let answer = try #require(await dealer.receive())
                let times = answer.parts.map { Self.number($0.bytes) }
                let order = [sentAt.withLock { $0 }] + times + [answer.receivedAtNanoseconds]
                #expect(order == order.sorted())
                #expect(Set(order).count == 4)
            }
            let counters = await router.counters
            #expect(counters.received == 101)
            #expect(counters.sent == 100)
            let task = Task { await router.receive() }
            task.cancel()
            #expect(await task.value == nil)
        }
    }

    @Test("Refuses to queue a message that must carry its sending time")
    func stampedIsNeverQueued() async throws {
        try await TestRig.run { rig in
            let dealer = try rig.dealer()
            #expect(await dealer.send { _ in Message(text: "nobody listens") } == .refused(.queueFull))
            #expect(await dealer.counters.queued == 0)
        }
    }

    @Test("Ends the thread in stop(), and returns from later calls")
    func stop() async throws {
        let name = "stop-\(UInt16.random(in: .min ... .max))"
        let context = try ZeroMQContext()
        let executor = try SocketExecutor(name: name)
        let dealer = try DealerSocket(context: context, executor: executor)
        try await eventually { Self.threadNames().contains(name) }
        executor.stop()
        executor.stop()
        // A joined thread stays in /proc for a moment.
        try await eventually { !Self.threadNames().contains(name) }
        for _ in 0..<100 { #expect(await dealer.send(Message(text: "late")) == .refused(.closed)) }
        #expect(await dealer.receive()?.texts == nil)
    }

    @Test("Keeps a task beside a socket on the socket's thread")
    func taskPreference() async throws {
        let name = "task-\(UInt16.random(in: .min ... .max))"
        let executor = try SocketExecutor(name: name)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let places = await withTaskGroup(of: [Bool].self) { group in
            group.addTask(executorPreference: SocketTaskExecutor(executor)) {
                var places: [Bool] = []
                for await _ in stream { places.append(executor.isIsolatingCurrentContext() == true) }
                return places
            }
            for number in 1...100 { continuation.yield(number) }
            continuation.finish()
            return await group.next() ?? []
        }
        #expect(places == Array(repeating: true, count: 100))
    }

    @Test("Ends tasks that prefer a stopped executor")
    func taskPreferenceAfterStop() async throws {
        let executor = try SocketExecutor(name: "stopped-\(UInt16.random(in: .min ... .max))")
        let tasks = SocketTaskExecutor(executor)
        executor.stop()
        let ran = await Task(executorPreference: tasks) { executor.isIsolatingCurrentContext() == true }.value
        #expect(ran)
    }

    @Test("Loses its last reference on its own thread without harm")
    func releasedOnItsOwnThread() async throws {
        let name = "own-\(UInt16.random(in: .min ... .max))"
        do {
            let context = try ZeroMQContext()
            let dealer = try DealerSocket(context: context, executor: SocketExecutor(name: name))
            #expect(await dealer.counters.sent == 0)
        }
        try await eventually { !Self.threadNames().contains(name) }
    }

    @Test("Loses nothing when many tasks use one socket")
    func manyCallers() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            await router.respondInline { _, request, _ in request.message }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<100 {
                            _ = await dealer.send(Message(text: "x"))
                            _ = await dealer.receive()
                        }
                    }
                }
            }
            let counters = await dealer.counters
            #expect(counters.sent == 2_001)
            #expect(counters.received == 2_000)
        }
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func number(_ bytes: [UInt8]) -> Int64 {
        bytes.enumerated().reduce(0) { $0 | Int64($1.element) << ($1.offset * 8) }
    }

    /// The names of the threads of this process, as the kernel knows them.
    private static func threadNames() -> Set<String> {
        guard let folder = unsafe opendir("/proc/self/task") else { return [] }
        defer { unsafe _ = closedir(folder) }
        var names: Set<String> = []
        while let entry = unsafe readdir(folder) {
            let thread = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard let file = unsafe fopen("/proc/self/task/\(thread)/comm", "r") else { continue }
            var line = [CChar](repeating: 0, count: 32)
            if unsafe fgets(&line, 32, file) != nil {
                names.insert(String(decoding: line.prefix { $0 > 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            unsafe fclose(file)
        }
        return names
    }
}
