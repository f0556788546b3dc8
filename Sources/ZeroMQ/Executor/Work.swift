/// Something to run on an executor's thread.
enum Work: Sendable {
    /// A piece of an actor's task.
    case job(UnownedJob)
    /// A piece of a task that no actor owns, and where the task prefers to run.
    case task(UnownedJob, SocketTaskExecutor)
    /// A call of this module's own.
    case call(@Sendable () -> Void)
}
