/// Two statements of rig time minus local time that cannot both be true: what the program that keeps the clocks claims,
/// and what probes prove.
public struct ClockConflict: Hashable, Sendable {
    /// An offset, and how far it can be from that.
    public struct Statement: Hashable, Sendable {
        public var offset: Duration
        public var bound: Duration

        public init(offset: Duration, bound: Duration) {
            self.offset = offset
            self.bound = bound
        }
    }

    /// What both clocks are said to follow.
    public var reference: ClockReference
    /// Rig time at which the conflict began. It ends when there was no contradiction for a minute.
    public var since: RigTime
    /// Both at the newest contradiction.
    public var claimed: Statement
    public var proven: Statement

    public init(reference: ClockReference, since: RigTime, claimed: Statement, proven: Statement) {
        self.reference = reference
        self.since = since
        self.claimed = claimed
        self.proven = proven
    }
}
