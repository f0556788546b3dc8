public import CaptureModel

/// A rig clock a microsecond ahead of the local one.
public struct FixedRigClock: RigTimeSource {
    public static let id = RigClockID(rawValue: "rig-1")
    public var clockID: RigClockID? { Self.id }

    public init() {}

    public func rigTime(at local: LocalTime) -> BoundedRigTime? {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds + 1000), bound: .microseconds(50))
    }

    public func localTime(at rig: RigTime) -> LocalTime? {
        LocalTime(nanoseconds: rig.nanoseconds) - .microseconds(1)
    }
}
