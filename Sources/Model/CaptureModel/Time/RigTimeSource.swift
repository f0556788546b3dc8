/// What a node knows of rig time: an affine map from its own clock, with a bound. Implemented by the clock service.
public protocol RigTimeSource: Sendable {
    /// The rig time line the map leads to, or nil before the first probe has come back.
    var clockID: RigClockID? { get }

    /// Local to rig time, as of the newest estimate; nil before the first probe has come back.
    func rigTime(at local: LocalTime) -> BoundedRigTime?

    /// Rig to local time; nil before the first probe has come back.
    func localTime(at rig: RigTime) -> LocalTime?
}
