/// How a node knows rig time. Its bound is ``NodeStatus/clockBound``.
public struct ClockStatus: Hashable, Sendable {
    /// What an estimate of rig time is made of.
    public enum Source: String, CaseIterable, Sendable {
        /// Exchanges on the clock channel.
        case probes
    }

    /// Rig time minus local time at the newest probe.
    public var offset: Duration
    /// How much faster the rig's clock runs than the node's, most likely; negative if it runs slower.
    public var ratePartsPerBillion: Int64
    /// The median of the last bursts' shortest round trips, and the shortest of the last minutes.
    public var roundTrip: Duration
    public var shortestRoundTrip: Duration
    public var source: Source
    /// Rig time of the first and of the newest probe of the estimate. It starts again after a sleep of the node, a boot
    /// of the coordinator, and a contradiction.
    public var since: RigTime
    public var newest: RigTime
    /// Rig time at which the link became congested; nil if it is not.
    public var congestedSince: RigTime?

    public init(
        offset: Duration, ratePartsPerBillion: Int64, roundTrip: Duration, shortestRoundTrip: Duration,
        source: Source = .probes, since: RigTime, newest: RigTime, congestedSince: RigTime? = nil
    ) {
        self.offset = offset
        self.ratePartsPerBillion = ratePartsPerBillion
        self.roundTrip = roundTrip
        self.shortestRoundTrip = shortestRoundTrip
        self.source = source
        self.since = since
        self.newest = newest
        self.congestedSince = congestedSince
    }
}
