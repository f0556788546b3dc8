/// Where tasks run that belong beside an actor of a ``ThreadExecutor``: on the executor's own thread, between the actor's
/// jobs.
///
/// Code that no actor owns runs on Swift's cooperative pool otherwise, as the body of an `AsyncStream`'s iterator does.
/// An actor that takes what such a stream delivers then waits for two threads in a row; as a task's preference, this
/// lets it wait for one.
public final class ThreadTaskExecutor: TaskExecutor {
    private let executor: ThreadExecutor

    public init(_ executor: ThreadExecutor) {
        self.executor = executor
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(UnownedJob(job), for: self)
    }
}
