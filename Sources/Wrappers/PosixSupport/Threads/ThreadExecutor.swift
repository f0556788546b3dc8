/// A serial executor over one named thread, for actors whose work blocks or takes long, so that it never holds up Swift's
/// cooperative pool.
///
/// An actor keeps its executor in a stored property and returns it from
/// `nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }`. Several actors may
/// share one; their jobs then run one at a time. The thread ends with the last reference to the executor.
public final class ThreadExecutor: SerialExecutor {
    private let queue: WorkQueue
    private let thread: NamedThread

    /// - Parameter name: The thread's name, at most 15 bytes.
    /// - Throws: Where neither a thread nor a descriptor is to be had.
    public init(name: String) throws(PosixError) {
        let wake = try EventFlag()
        // Work keeps the executor alive, so none comes after the thread's end.
        let queue = WorkQueue(wake: wake, lateThreadName: name)
        self.queue = queue
        thread = try NamedThread(name: name) { Self.run(queue, wake) }
    }

    deinit {
        queue.stop()
        // The last reference may be let go by a job of this very thread, which cannot wait for itself.
        if thread.isCurrent { thread.detach() } else { thread.join() }
    }

    /// The thread's body.
    private static func run(_ queue: WorkQueue, _ wake: EventFlag) {
        queue.adoptThread()
        var batch = WorkBatch()
        while !queue.isStopping {
            queue.take(&batch)
            batch.run()
            guard queue.prepareToSleep() else { continue }
            wake.wait()
            // Lowered before looking: work that comes in after the look raises it again.
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
