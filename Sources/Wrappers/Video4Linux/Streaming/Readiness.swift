import CVideo4Linux

/// Which of the things waited for have happened.
public struct Readiness: Hashable, Sendable {
    /// A buffer is filled.
    public var hasFrame: Bool
    /// The queue has failed (`POLLERR`); dequeuing says why.
    public var hasError: Bool
    /// The device has gone (`POLLHUP`).
    public var isGone: Bool
    /// The other descriptor is readable.
    public var isWoken: Bool

    init(_ readiness: cv4l_readiness) {
        hasFrame = readiness.frame
        hasError = readiness.error
        isGone = readiness.hangup
        isWoken = readiness.wake
    }
}
