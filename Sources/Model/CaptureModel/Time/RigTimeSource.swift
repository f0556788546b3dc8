/// A node's estimate of rig time: an affine map from its clock, with a bound. The clock service implements it.
public protocol RigTimeSource: Sendable {
    /// The rig time line of the map; nil before the first probe has returned.
    var clockID: RigClockID? { get }

    /// Converts local to rig time by the newest estimate; nil before the first probe has returned.
    func rigTime(at local: LocalTime) -> BoundedRigTime?

    /// Converts rig to local time; nil before the first probe has returned.
    func localTime(at rig: RigTime) -> LocalTime?

    /// How rig time is known; nil before the first probe has returned, and if it is not estimated.
    var status: ClockStatus? { get }

    /// How this machine's clock is kept in step, as last read; nil if nothing says so, and while what is said contradicts the probes.
    var discipline: DisciplinedClock<LocalTimeBase>? { get }
}

extension RigTimeSource {
    public var status: ClockStatus? { nil }

    public var discipline: DisciplinedClock<LocalTimeBase>? { nil }
}
