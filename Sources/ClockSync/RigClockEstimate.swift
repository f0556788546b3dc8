public import CaptureModel
import PosixSupport

/// A node's estimate of rig time, shared by the clock service, which feeds it, and the frame paths, which ask it. Safe
/// from any thread; a call holds a lock for microseconds.
public final class RigClockEstimate: RigTimeSource, Sendable {
    private let estimator = Locked(ClockEstimator())

    public init() {}

    /// Takes a probe that came back; see ``ClockEstimator/add(_:ticket:clock:)``.
    public func add(_ probe: ClockProbe, ticket: ProbeTicket, clock: RigClockID) {
        estimator.withLock { $0.add(probe, ticket: ticket, clock: clock) }
    }

    /// Forgets everything, as after a suspend of this machine.
    public func reset() {
        estimator.withLock { $0.reset() }
    }

    public var clockID: RigClockID? {
        estimator.withLock { $0.clockID }
    }

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        estimator.withLock { $0.rigTime(at: local) }
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        estimator.withLock { $0.localTime(at: rig) }
    }

    /// The whole state at one instant, for status and metrics.
    public var snapshot: ClockEstimator {
        estimator.withLock { $0 }
    }
}
