internal import PosixSupport

/// A serial executor with one named thread that polls the sockets of its actors.
///
/// Every socket actor runs here, which satisfies libzmq's rule of one thread per socket. Several sockets share an executor, and a process
/// may have several executors. Another actor whose `unownedExecutor` is this executor calls its sockets without changing threads, and may
/// use `assumeIsolated` in a socket's inline handler.
///
/// Work on this thread delays every socket of the executor. Never block it, and run long computations elsewhere.
public final class SocketExecutor: SerialExecutor, Sendable {
    /// The name of the thread. The system shows its first 15 bytes.
    public let name: String

    let queue: WorkQueue
    let loop: PollLoop
    private let thread: Locked<NamedThread?>

    /// Starts the thread.
    ///
    /// - Throws: If the system has no more threads or descriptors.
    public init(name: String) throws(ZeroMQError) {
        do throws(PosixError) {
            let wake = try EventFlag()
            let queue = WorkQueue(wake: wake, lateThreadName: "zmq-late")
            let loop = PollLoop(queue: queue, wake: wake)
            self.name = name
            self.queue = queue
            self.loop = loop
            thread = Locked(try NamedThread(name: name, signals: .blocked) { loop.run() })
        } catch {
            throw ZeroMQError(errorNumber: error.code, operation: error.operation, endpoint: error.subject)
        }
    }

    /// Closes the executor's sockets, runs the remaining work, ends the thread and closes its descriptor.
    ///
    /// Returns when the thread has ended. If called on the thread itself, or while another call waits, returns at once. Later calls to the
    /// actors run on a temporary thread and find their sockets closed.
    public func stop() {
        queue.stop()
        let mine = thread.withLock { thread in exchange(&thread, with: nil) }
        guard let mine else { return }
        if mine.isCurrent { mine.detach() } else { mine.join() }
    }

    deinit { stop() }

    // MARK: SerialExecutor

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.submit(.job(UnownedJob(job)), for: self)
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(queue.isCurrent, "This code must run on the thread of the socket executor \"\(name)\".")
    }

    public func isIsolatingCurrentContext() -> Bool? { queue.isCurrent }
}

/// Runs tasks on the thread of a ``SocketExecutor``, next to its actors.
///
/// Otherwise code that no actor owns, such as the body of an `AsyncStream`'s iterator, runs on Swift's cooperative pool. A task that
/// publishes elements of such a stream then waits for two threads in a row. With this executor as its preference it waits for one. Code of
/// the task outside of actors must be as short as that of the actors.
public final class SocketTaskExecutor: TaskExecutor {
    private let executor: SocketExecutor

    public init(_ executor: SocketExecutor) {
        self.executor = executor
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        executor.queue.submit(.task(UnownedJob(job), self), for: executor)
    }
}
