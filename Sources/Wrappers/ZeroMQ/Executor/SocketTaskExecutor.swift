internal import PosixSupport

/// Where tasks run that belong beside the actors of a ``SocketExecutor``: on the executor's own thread.
///
/// Code that no actor owns runs on Swift's cooperative pool otherwise, as the body of an `AsyncStream`'s iterator does.
/// A task that publishes what such a stream delivers then waits for two threads in a row; as its preference, this lets it
/// wait for one. What the task does outside of any actor must be as short as what the actors do.
public final class SocketTaskExecutor: TaskExecutor {
    private let executor: SocketExecutor

    public init(_ executor: SocketExecutor) {
        self.executor = executor
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        executor.queue.submit(.task(UnownedJob(job), self), for: executor)
    }
}
