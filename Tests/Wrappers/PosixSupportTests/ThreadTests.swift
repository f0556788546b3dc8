import Foundation
import PosixSupport
import Testing

@Suite struct ThreadTests {
    private static func currentThreadName() -> String {
        let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        return name.trimmingCharacters(in: .newlines)
    }

    private actor Worker {
        private nonisolated let executor: ThreadExecutor
        private var count = 0

        init(_ executor: ThreadExecutor) {
            self.executor = executor
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        func threadName() -> String {
            assertIsolated()
            return ThreadTests.currentThreadName()
        }

        func increment() -> Int {
            count += 1
            return count
        }
    }

    @Test func `a thread bears its name, cut to what the kernel keeps`() throws {
        let seen = SharedName()
        let thread = try NamedThread(name: "a-name-that-is-too-long") { seen.set(Self.currentThreadName()) }
        thread.join()
        #expect(seen.value == "a-name-that-is-")
    }

    @Test(arguments: [NamedThread.Signals.inherited, .blocked])
    func `signals reach a thread unless it says that they are not for it`(_ signals: NamedThread.Signals) throws {
        // The thread that runs a test may have signals blocked itself.
        var term = sigset_t()
        var mask = sigset_t()
        unsafe sigaddset(&term, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &term, &mask)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
        let isBlocked = Locked(false)
        let thread = try NamedThread(name: "signals", signals: signals) {
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            let result = unsafe sigismember(&mask, SIGTERM) == 1
            isBlocked.withLock { $0 = result }
        }
        thread.join()
        #expect(isBlocked.withLock { $0 } == (signals == .blocked))
    }

    @Test func `disk work runs on its own thread and not on the cooperative pool`() async throws {
        let worker = Worker(try ThreadExecutor(name: "disk-test"))
        #expect(await worker.threadName() == "disk-test")
        #expect(Self.currentThreadName() != "disk-test")
    }

    @Test func `jobs of many callers all run, one at a time`() async throws {
        let worker = Worker(try ThreadExecutor(name: "disk-test"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { _ = await worker.increment() } }
        }
        #expect(await worker.increment() == 1001)
    }

    @Test func `an executor that goes away takes its thread along`() async throws {
        for _ in 0..<50 {
            let worker = Worker(try ThreadExecutor(name: "short-lived"))
            _ = await worker.increment()
        }
        // Threads that end by themselves are given the time to; a leak would leave all fifty.
        let deadline = ContinuousClock.now + .seconds(300)
        while Self.threadNames().contains("short-lived"), ContinuousClock.now < deadline { await Task.yield() }
        #expect(!Self.threadNames().contains("short-lived"))
    }

    @Test func `a task beside an actor takes a stream's elements on the actor's thread`() async throws {
        let executor = try ThreadExecutor(name: "disk-test")
        let worker = Worker(executor)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let names = await withTaskGroup(of: [String].self) { group in
            group.addTask(executorPreference: ThreadTaskExecutor(executor)) {
                var names: [String] = []
                for await _ in stream {
                    names.append(Self.currentThreadName())
                    names.append(await worker.threadName())
                }
                return names
            }
            for number in 1...100 { continuation.yield(number) }
            continuation.finish()
            return await group.next() ?? []
        }
        #expect(names == Array(repeating: "disk-test", count: 200))
    }

    @Test func `a flag is raised until it is lowered`() throws {
        let flag = try EventFlag()
        #expect(!flag.wait(timeoutMilliseconds: 0))
        flag.signal()
        flag.signal()
        #expect(flag.wait())
        #expect(flag.clear())
        #expect(!flag.clear())
        #expect(!flag.wait(timeoutMilliseconds: 0))
    }

    @Test func `a flag wakes a thread that waits for it`() throws {
        let request = try EventFlag()
        let answer = try EventFlag()
        let thread = try NamedThread(name: "waiter") {
            request.wait()
            answer.signal()
        }
        request.signal()
        #expect(answer.wait(timeoutMilliseconds: 300_000))
        thread.join()
    }

    private static func threadNames() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
            .map { $0.trimmingCharacters(in: .newlines) }
    }
}

private final class SharedName: Sendable {
    private let state = Locked("")
    var value: String { state.withLock { $0 } }
    func set(_ name: String) { state.withLock { $0 = name } }
}

@Suite(.timeLimit(.minutes(10))) struct BlockingCallsTests {
    @Test func `calls are made at the same time, and answered in their order`() throws {
        let all = try EventFlag()
        let count = BlockingCalls.threadLimit + 1
        let waiting = Locked(0)
        let answers = BlockingCalls.map(Array(0..<count), threads: "test") { number in
            let isLast = waiting.withLock { waiting in
                waiting += 1
                return waiting == count
            }
            // Each waits until the last one has begun.
            if isLast { all.signal() }
            return all.wait(timeoutMilliseconds: 300_000) ? number : -1
        }
        #expect(answers == Array(0..<count))
    }

    @Test func `more calls than threads are all made`() {
        #expect(BlockingCalls.map(Array(0..<100), threads: "test") { $0 * 2 } == (0..<100).map { $0 * 2 })
        #expect(BlockingCalls.map([Int](), threads: "test") { $0 } == [])
    }
}
