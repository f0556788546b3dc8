/// What a test can make happen at a point.
public enum FaultAbility: String, Hashable, Sendable, CaseIterable {
    /// The process kills itself with SIGKILL.
    case crash
    /// The process stops itself with SIGSTOP, until somebody continues it.
    case stop
    /// The thread or task that comes here never goes on; a task does when it is cancelled.
    case hang
    /// It goes on later.
    case delay
    /// The step is not taken and fails with an errno.
    case fail
    /// The message is not sent, and its sender does not know.
    case drop
    /// The message is sent twice.
    case duplicate
    /// The message is sent after the next one of its socket.
    case hold
}
