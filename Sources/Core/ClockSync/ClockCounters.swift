/// Counts of the outcomes of a node's probes.
public struct ClockCounters: Hashable, Sendable {
    /// Probes that count toward the estimate.
    public var accepted: UInt64 = 0
    /// Probes with impossible stamps (time that runs backwards, a negative round trip, or values out of range), and
    /// probes that were in flight when the machine slept.
    public var rejected: UInt64 = 0
    /// How often earlier probes were discarded because they contradict a later one.
    public var inconsistencies: UInt64 = 0
    /// How often earlier probes were discarded because a clock began or ceased to be slewed.
    public var slews: UInt64 = 0
    /// How often what PTP or NTP says of the clocks began to contradict the probes.
    public var conflicts: UInt64 = 0
    /// How often the coordinator returned with another rig time line.
    public var restarts: UInt64 = 0
    /// How often this machine slept.
    public var suspensions: UInt64 = 0

    public init() {}
}
