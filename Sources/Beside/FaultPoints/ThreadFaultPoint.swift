internal import Glibc

/// Points on a thread that may block, such as after a durable step.
public protocol ThreadFaultPoint: FaultPoint {}

extension ThreadFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay] }

    /// Reports that the calling thread passes this point.
    public func reached() {
        if Faults.areArmed { _ = Faults.strikeBlocking(rawValue) }
    }
}
