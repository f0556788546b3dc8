public import CaptureModel
internal import RigProtocol
internal import RigWire

/// How a shot is coming along; every capture is in exactly one of the counts but `expected`, or not yet armed.
public struct ShotProgress: Hashable, Sendable {
    public var shot: ShotID
    /// T.
    public var time: RigTime
    /// Predicted spread of the cameras' mid-exposures; nil where phases are not known.
    public var predictedSpread: Duration?
    public var expected: Int
    public var armed: Int
    public var captured: Int
    public var done: Int
    public var missed: Int
    public var failed: Int
    /// Captures that have their photo, and lack a file that goes with it.
    public var partial: Int
    /// How long the answer may still take; nil where nothing limits it, or the coordinator does not say.
    public var answerWithin: Duration?
}

extension ShotProgress {
    init(wire: WireShotProgress) throws(WireError) {
        let reader = FieldReader("ShotProgress")
        shot = try reader.shotID(wire.shotID)
        time = RigTime(nanoseconds: wire.rigTimeNs)
        predictedSpread = wire.hasPredictedSpreadNs ? .nanoseconds(wire.predictedSpreadNs) : nil
        expected = Int(wire.expected)
        armed = Int(wire.armed)
        captured = Int(wire.captured)
        done = Int(wire.done)
        missed = Int(wire.missed)
        failed = Int(wire.failed)
        partial = Int(wire.partial)
        answerWithin =
            wire.hasAnswerWithinNs
            ? .nanoseconds(try reader.number(wire.answerWithinNs, "answer_within_ns", in: WireLimits.answerWithin))
            : nil
    }
}
