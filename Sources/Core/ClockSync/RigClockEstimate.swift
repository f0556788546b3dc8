public import CaptureModel
import PosixSupport

/// A node's estimate of rig time, shared by the clock service, which feeds it, and the frame paths, which ask it. Safe
/// from any thread; a call holds a lock for microseconds.
///
/// Each call first looks whether the machine has slept, so that not even the first one after a sleep is answered by what
/// was known before; see ``ClockEstimator/note(timeSlept:)``.
public final class RigClockEstimate: RigTimeSource, Sendable {
    private let estimator: Locked<ClockEstimator>
    private let clock: any TimeSource

    /// - Parameter clock: The local clock of the probes.
    public init(clock: any TimeSource) {
        self.clock = clock
        var estimator = ClockEstimator()
        estimator.note(timeSlept: clock.timeSlept())
        self.estimator = Locked(estimator)
    }

    /// Takes a probe that came back; see ``ClockEstimator/add(_:ticket:clock:)``.
    public func add(_ probe: ClockProbe, ticket: ProbeTicket, clock: RigClockID) {
        withEstimator { $0.add(probe, ticket: ticket, clock: clock) }
    }

    /// Begins anew, as after a sleep of this machine; see ``ClockEstimator/restart(at:)``.
    public func restart() {
        withEstimator { $0.restart(at: clock.now()) }
    }

    /// Whether the machine has slept, and ``restart()`` is waited for.
    public var isHeld: Bool {
        withEstimator { $0.isHeld }
    }

    public var clockID: RigClockID? {
        withEstimator { $0.clockID }
    }

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        withEstimator { $0.rigTime(at: local) }
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        withEstimator { $0.localTime(at: rig) }
    }

    /// The whole state at one instant, for status and metrics.
    public var snapshot: ClockEstimator {
        withEstimator { $0 }
    }

    private func withEstimator<Result: Sendable>(_ body: (inout ClockEstimator) -> Result) -> Result {
        estimator.withLock { estimator in
            // Read under the lock, so that no call works with an older reading than the one before it.
            estimator.note(timeSlept: clock.timeSlept())
            return body(&estimator)
        }
    }
}
