public import FaultPoints

/// Where deferred work waits.
public enum DeferredFault: String, TaskFaultPoint {
    /// A file is about to be made.
    case making = "deferred.wait.making"
    /// It is durable; its capture does not name it.
    case made = "deferred.wait.made"
    /// It is part of its capture; nobody has been told.
    case added = "deferred.wait.added"
}
