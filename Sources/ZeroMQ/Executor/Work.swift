/// Something to run on an executor's thread.
enum Work: Sendable {
    /// A piece of an actor's task.
    case job(UnownedJob)
    /// A call of this module's own.
    case call(@Sendable () -> Void)
}
