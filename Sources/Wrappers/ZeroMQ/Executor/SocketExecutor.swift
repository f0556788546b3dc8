internal import PosixSupport

/// A serial executor with one named thread that polls the sockets of its actors.
///
/// Every socket actor runs here, so libzmq's rule of one thread per socket holds by construction. Several sockets share
/// an executor, and a process may have several. An actor of yours whose `unownedExecutor` is this executor calls its
/// sockets without changing threads, and may use `assumeIsolated` from a socket's inline handler.
///
/// Work on this thread delays every socket of the executor: never block it, and keep long computation elsewhere.
public final class SocketExecutor: SerialExecutor, Sendable {
    /// The name of the thread; the system shows its first 15 bytes.
    public let name: String

    let queue: WorkQueue
    let loop: PollLoop
    private let thread: Locked<NamedThread?>

    /// Starts the thread.
    ///
    /// - Throws: When the system is out of threads or descriptors.
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

    /// Closes the executor's sockets, runs what waits, ends the thread and closes its descriptor.
    ///
    /// Returns when the thread has ended; called on the thread itself, or while another call waits, it returns at once.
    /// Calls to the actors keep working, on a thread that lives while there are any, and find their sockets closed.
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
