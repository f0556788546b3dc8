public import CaptureModel
public import RigProtocol

extension DisciplinedClock where Base == RigTimeBase {
    /// - Returns: nil if the clock is kept in step by something that this program does not know.
    public init?(wire: WireClockDiscipline) throws(WireError) {
        let reader = FieldReader("ClockDiscipline")
        guard let source = ClockReference.Source(rawValue: try reader.word(wire.source, "source")) else { return nil }
        self.init(
            reference: ClockReference(source: source, identity: try reader.identity(wire.identity)),
            bound: .nanoseconds(try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)),
            pair: WallClockPair(
                monotonic: RigTime(nanoseconds: wire.rigNs), realtimeNanoseconds: wire.realtimeNs))
    }

    public var wire: WireClockDiscipline {
        var wire = WireClockDiscipline()
        wire.source = reference.source.rawValue
        wire.identity = reference.identity
        wire.boundNs = bound.nanoseconds
        wire.rigNs = pair.monotonic.nanoseconds
        wire.realtimeNs = pair.realtimeNanoseconds
        return wire
    }
}

extension ClockConflict {
    public init(wire: WireClockConflict) throws(WireError) {
        let reader = FieldReader("ClockConflict")
        self.init(
            reference: ClockReference(
                source: try reader.word(wire.source, "source", as: ClockReference.Source.self),
                identity: try reader.identity(wire.identity)),
            since: RigTime(nanoseconds: wire.sinceRigNs),
            claimed: Statement(
                offset: .nanoseconds(wire.claimedOffsetNs),
                bound: .nanoseconds(
                    try reader.number(wire.claimedBoundNs, "claimed_bound_ns", in: WireLimits.nonNegative))),
            proven: Statement(
                offset: .nanoseconds(wire.provenOffsetNs),
                bound: .nanoseconds(
                    try reader.number(wire.provenBoundNs, "proven_bound_ns", in: WireLimits.nonNegative))))
    }

    public var wire: WireClockConflict {
        var wire = WireClockConflict()
        wire.source = reference.source.rawValue
        wire.identity = reference.identity
        wire.sinceRigNs = since.nanoseconds
        wire.claimedOffsetNs = claimed.offset.nanoseconds
        wire.claimedBoundNs = claimed.bound.nanoseconds
        wire.provenOffsetNs = proven.offset.nanoseconds
        wire.provenBoundNs = proven.bound.nanoseconds
        return wire
    }
}

extension FieldReader {
    /// Returns what a clock follows.
    fileprivate func identity(_ text: String) throws(WireError) -> String {
        let identity = try word(text, "identity")
        guard identity.utf8.count <= ClockReference.identityLimit else {
            throw invalid("identity", "must have at most \(ClockReference.identityLimit) bytes")
        }
        return identity
    }
}
