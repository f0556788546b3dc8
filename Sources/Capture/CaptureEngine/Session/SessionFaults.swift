public import FaultPoints

/// Where a camera's session waits.
public enum SessionFault: String, TaskFaultPoint {
    /// Fired, the frame of T is not chosen yet.
    case frame = "session.wait.frame"
    /// A frame is chosen; nothing of it is stored yet.
    case chosen = "session.wait.store"
    /// The camera is closed: until it is wanted or tried again.
    case idle = "session.wait.idle"
    /// The camera is about to be opened.
    case opening = "session.wait.open"
    /// The watchdog of a stream.
    case stall = "session.wait.stall"
}
