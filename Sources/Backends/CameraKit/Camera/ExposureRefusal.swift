/// Why a camera does not expose at an instant, or has no frame of it.
public struct ExposureRefusal: Error, Hashable, Sendable {
    /// The kinds of refusal. Each needs another remedy.
    public enum Cause: Hashable, Sendable {
        /// The instant is too near.
        case tooSoon
        /// Camera and node do not follow the same clock.
        case clock
        /// Another exposure is in the way.
        case conflict
        /// Whatever else camera or network have failed at.
        case camera
    }

    public var cause: Cause
    /// A sentence with the reason and the remedy.
    public var reason: String

    public init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }
}
