internal import Glibc

/// Points before a message is sent; see ``SendLane``.
public protocol SendFaultPoint: FaultPoint {}

extension SendFaultPoint {
    public static var abilities: [FaultAbility] { [.crash, .stop, .hang, .delay, .drop, .duplicate, .hold] }
}
