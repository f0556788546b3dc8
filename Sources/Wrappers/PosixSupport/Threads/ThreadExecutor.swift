/// A serial executor on one named thread, for actors whose work blocks or takes long, so that it does not block Swift's cooperative pool.
///
/// An actor keeps its executor in a stored property and returns it from `nonisolated var unownedExecutor: UnownedSerialExecutor {
/// executor.asUnownedSerialExecutor() }`. Several actors may share an executor; their jobs then run one at a time. The thread ends when the
/// last reference to the executor is released.
public final class ThreadExecutor: SerialExecutor {
    private let queue: WorkQueue
    private let thread: NamedThread

    /// - Parameter name: The thread's name, at most 15 bytes.
    /// - Throws: If no thread or descriptor can be created.
    public init(name: String) throws(PosixError) {
        let wake = try EventFlag()
        // Work keeps the executor alive, so none arrives after the thread's end.
        let queue = WorkQueue(wake: wake, lateThreadName: name)
        self.queue = queue
        thread = try NamedThread(name: name) { Self.run(queue, wake) }
    }

    deinit {
        queue.stop()
        // A job of this thread may release the last reference, and a thread cannot join itself.
        if thread.isCurrent { thread.detach() } else { thread.join() }
    }

    /// The thread's body.
    private static func run(_ queue: WorkQueue, _ wake: EventFlag) {
        queue.adoptThread()
        var batch = WorkBatch()
        while !queue.isStopping {
            queue.dequeue(&batch)
            batch.run()
            guard queue.prepareToSleep() else { continue }
            wake.wait()
            // Cleared before the next check, so that work that arrives after the check raises it again.
            wake.clear()
        }
        queue.drainAndFinish()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.submit(.job(UnownedJob(job)), for: self)
    }

    func enqueue(_ job: UnownedJob, for tasks: ThreadTaskExecutor) {
        queue.submit(.task(job, tasks), for: self)
    }

    public func checkIsolated() {
        precondition(queue.isCurrent, "called from outside the executor's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        queue.isCurrent
    }
}

/// Runs tasks on the thread of a ``ThreadExecutor``, between the jobs of its actor.
///
/// Otherwise code that no actor owns, such as the body of an `AsyncStream`'s iterator, runs on Swift's cooperative pool. An actor that
/// reads such a stream then waits for two threads in a row. With this executor as the task's preference it waits for one.
public final class ThreadTaskExecutor: TaskExecutor {
    private let executor: ThreadExecutor

    public init(_ executor: ThreadExecutor) {
        self.executor = executor
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(UnownedJob(job), for: self)
    }
}
