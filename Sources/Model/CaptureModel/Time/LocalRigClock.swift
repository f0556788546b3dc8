/// The rig clock of a machine that forms a rig alone: rig time equals this machine's monotonic clock.
public struct LocalRigClock: RigTimeSource {
    public let clockID: RigClockID?

    /// - Parameter clockID: The name of the time line, which is one boot of this machine.
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
