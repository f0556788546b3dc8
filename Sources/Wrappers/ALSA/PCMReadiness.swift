import CALSA

/// Which of the things waited for have happened.
public struct PCMReadiness: Hashable, Sendable {
    /// There is something to read, which may be a failure.
    public var isReadable: Bool
    /// The other descriptor is readable.
    public var isWoken: Bool

    init(_ readiness: calsa_readiness) {
        isReadable = readiness.readable
        isWoken = readiness.wake
    }
}
