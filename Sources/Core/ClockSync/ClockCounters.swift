/// What became of the probes of a node.
public struct ClockCounters: Hashable, Sendable {
    /// Probes that count towards the estimate.
    public var accepted: UInt64 = 0
    /// Probes whose stamps are impossible: time running backwards, a negative round trip, out of range; and those
    /// that were under way when the machine slept.
    public var rejected: UInt64 = 0
    /// Times earlier probes were discarded because they contradict a later one.
    public var inconsistencies: UInt64 = 0
    /// Times the coordinator came back with another rig time line.
    public var restarts: UInt64 = 0
    /// Times this machine slept.
    public var suspensions: UInt64 = 0

    public init() {}
}
