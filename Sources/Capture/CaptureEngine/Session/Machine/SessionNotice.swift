public import CaptureModel

/// What a session tells of itself, in AVFoundation's words (`AVCaptureSession`'s notifications).
public enum SessionNotice: Hashable, Sendable {
    /// The first good frame has come.
    case didStartRunning
    /// Frames come no more; by whatever cause. Exactly one for each `didStartRunning`.
    case didStopRunning
    /// An outer reason keeps the session from running.
    case wasInterrupted(InterruptionReason, String)
    /// That reason is over, or counts no more since the session was stopped or failed. Exactly one for each
    /// `wasInterrupted`, before the next.
    case interruptionEnded(InterruptionReason)
    /// Device or driver failed; `attempt` is the number of the restart that follows, nil where none does.
    case runtimeError(String, attempt: Int?)
}
