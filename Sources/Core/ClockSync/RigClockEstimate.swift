public import CaptureModel

import class PosixSupport.Locked

/// A node's estimate of rig time. The clock service feeds it, and the frame paths query it. Safe from any thread; a
/// call holds a lock for microseconds.
///
/// Each call first checks whether the machine has slept, so that even the first call after a sleep does not use
/// outdated data; see ``ClockEstimator/note(timeSlept:)``.
public final class RigClockEstimate: RigTimeSource, Sendable {
    private let estimator: Locked<ClockEstimator>
    private let clock: any TimeSource
    private let reading = Locked<DisciplinedClock<LocalTimeBase>?>(nil)

    /// - Parameter clock: The local clock of the probes.
    public init(clock: any TimeSource) {
        self.clock = clock
        var estimator = ClockEstimator()
        estimator.note(timeSlept: clock.timeSlept())
        self.estimator = Locked(estimator)
    }

    /// Adds a probe that returned; see ``ClockEstimator/add(_:ticket:clock:)``.
    public func add(_ probe: ClockProbe, ticket: ProbeID, clock: RigClockID) {
        withEstimator { $0.add(probe, ticket: ticket, clock: clock) }
    }

    /// Notes how this machine's clock is kept in step; see ``ClockEstimator/note(_:)``.
    public func note(_ reading: DisciplinedClock<LocalTimeBase>?) {
        self.reading.withLock { $0 = reading }
        withEstimator { $0.note(reading) }
    }

    /// Starts again after a sleep of this machine; see ``ClockEstimator/restart(at:)``.
    public func restart() {
        reading.withLock { $0 = nil }
        withEstimator { $0.restart(at: clock.now()) }
    }

    /// Whether the machine has slept and ``restart()`` has not been called yet.
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

    public var status: ClockStatus? {
        withEstimator { $0.status }
    }

    /// Also nil after a sleep until it was read again: the two clocks of a reading have moved apart.
    public var discipline: DisciplinedClock<LocalTimeBase>? {
        isHeld || status?.conflict != nil ? nil : reading.withLock { $0 }
    }

    /// The complete state at one instant, for metrics.
    public var snapshot: ClockEstimator {
        withEstimator { $0 }
    }

    private func withEstimator<Result: Sendable>(_ body: (inout ClockEstimator) -> Result) -> Result {
        estimator.withLock { estimator in
            // Read under the lock, so that no call uses an older reading than the previous call.
            estimator.note(timeSlept: clock.timeSlept())
            return body(&estimator)
        }
    }
}
