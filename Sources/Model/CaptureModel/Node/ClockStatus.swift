/// How a node knows rig time. Its bound is ``NodeStatus/clockBound``.
public struct ClockStatus: Hashable, Sendable {
    /// What an estimate of rig time is made of.
    public enum Source: String, CaseIterable, Sendable {
        /// Exchanges on the clock channel.
        case probes
        /// The same, with a bound that what PTP says of both clocks has narrowed.
        case ptp = "ptp+probes"
        /// The same with NTP.
        case ntp = "ntp+probes"

        /// - Parameter narrowing: What has narrowed the bound; nil if nothing has.
        public init(_ narrowing: ClockReference.Source?) {
            self =
                switch narrowing {
                case nil: .probes
                case .ptp: .ptp
                case .ntp: .ntp
                }
        }

        /// What has narrowed the bound; nil if nothing has.
        public var narrowing: ClockReference.Source? {
            switch self {
            case .probes: nil
            case .ptp: .ptp
            case .ntp: .ntp
            }
        }
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
    /// How PTP or NTP contradicts the probes; nil if neither does.
    public var conflict: ClockConflict?

    public init(
        offset: Duration, ratePartsPerBillion: Int64, roundTrip: Duration, shortestRoundTrip: Duration,
        source: Source = .probes, since: RigTime, newest: RigTime, congestedSince: RigTime? = nil,
        conflict: ClockConflict? = nil
    ) {
        self.offset = offset
        self.ratePartsPerBillion = ratePartsPerBillion
        self.roundTrip = roundTrip
        self.shortestRoundTrip = shortestRoundTrip
        self.source = source
        self.since = since
        self.newest = newest
        self.congestedSince = congestedSince
        self.conflict = conflict
    }
}
