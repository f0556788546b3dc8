package import CaptureModel

import class PosixSupport.Locked

extension Rig {
    /// The limits in effect.
    package nonisolated var settings: RigLimits { limits.withLock(\.self) }

    /// Changes the limits of triggers, from the next request on.
    /// - Parameters:
    ///   - timeout: How long a client waits after T if it does not name a timeout.
    ///   - maximumAhead: How far ahead T may be.
    ///   - timing: The limits of shots whose request has none.
    package nonisolated func limitTriggers(timeout: Duration, maximumAhead: Duration, timing: TimingLimits?) {
        limits.withLock { ($0.timeout, $0.maximumAhead, $0.timing) = (timeout, maximumAhead, timing) }
    }
}
