/// The outcome of an order to make a capture.
public enum CaptureResult: Hashable, Sendable {
    /// The files are durable in the spool.
    case captured(CaptureReport)
    /// There will be no capture.
    case missed(CaptureKey, RigProblem)
}
