public import FaultPoints

/// Moments at which records of an audit log have been handed to the kernel, or have become durable.
public enum AuditFault: String, ThreadFaultPoint {
    case written = "audit.record.written"
    /// The records are durable; nobody who waits for that has been told.
    case durable = "audit.record.durable"
}
