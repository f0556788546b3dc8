/// What a clock follows. The errors of two clocks can be compared if they follow the same.
public struct ClockReference: Hashable, Sendable {
    /// How the clock follows it.
    public enum Source: String, CaseIterable, Sendable {
        /// IEEE 1588, by linuxptp.
        case ptp
        /// By chrony.
        case ntp
    }

    public var source: Source
    /// Of PTP the identity of the grandmaster, such as `7acc9b.fffe.1234ab`; of NTP `utc`. 1 to ``identityLimit``
    /// bytes, without white space.
    public var identity: String

    /// The most bytes of an identity.
    public static let identityLimit = 32

    public init(source: Source, identity: String) {
        self.source = source
        self.identity = identity
    }
}
