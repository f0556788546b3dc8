/// The rig clock of a machine that is a rig of its own: rig time is this machine's monotonic clock, exactly.
public struct LocalRigClock: RigTimeSource {
    public let clockID: RigClockID?

    /// - Parameter clockID: Names the time line; one boot of this machine.
    public init(clockID: RigClockID = RigClockID(rawValue: "local")) {
        self.clockID = clockID
    }

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds), bound: .zero)
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        LocalTime(nanoseconds: rig.nanoseconds)
    }
}
