internal import Glibc

/// Points in a task, such as at a wait.
public protocol TaskFaultPoint: FaultPoint {}

extension TaskFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay] }

    /// Reports that the calling task passes this point.
    public func reached() async {
        if Faults.areArmed { _ = await Faults.strikeTask(rawValue) }
    }
}
