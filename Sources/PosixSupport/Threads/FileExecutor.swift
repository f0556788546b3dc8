/// A serial executor over one named thread, for actors whose work blocks on a disk, so that it never holds up Swift's
/// cooperative pool.
///
/// An actor keeps its executor in a stored property and returns it from
/// `nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }`. Several actors may
/// share one; their jobs then run one at a time. The thread ends with the last reference to the executor.
public final class FileExecutor: SerialExecutor {
    private let queue: JobQueue
    private let thread: NamedThread

    /// - Parameter name: The thread's name, at most 15 bytes.
    /// - Throws: Where neither a thread nor a descriptor is to be had.
    public init(name: String) throws(PosixError) {
        let queue = JobQueue(wake: try EventFlag())
        self.queue = queue
        thread = try NamedThread(name: name) { queue.run() }
    }

    deinit {
        queue.stop()
        // The last reference may be let go by a job of this very thread, which cannot wait for itself.
        if thread.isCurrent { thread.detach() } else { thread.join() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), as: .job(of: self))
    }

    func enqueue(_ job: UnownedJob, for tasks: FileTaskExecutor) {
        queue.append(job, as: .task(of: tasks))
    }

    public func checkIsolated() {
        precondition(thread.isCurrent, "called from outside the file thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        thread.isCurrent
    }
}
