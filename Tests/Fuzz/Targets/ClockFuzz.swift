import CaptureModel
import ClockSync
import RigProtocol
import RigWire

/// What comes on the clock channel: single messages, and what an agent concludes from many replies.
enum ClockFuzz {
    static func run(_ bytes: [UInt8]) throws {
        _ = WireAgreement.message(WireClockProbe.self, .clock, bytes)
        if let reply = WireAgreement.message(WireClockReply.self, .clock, bytes) {
            var estimator = ClockEstimator()
            try add(reply, returned: reply.t1LocalNs, to: &estimator)
        }
        try manyReplies(bytes)
    }

    private static func manyReplies(_ bytes: [UInt8]) throws {
        var (input, estimator) = (FuzzInput(bytes), ClockEstimator())
        for _ in 0..<64 where !input.isEmpty {
            var reply = WireClockReply()
            reply.sequence = UInt64(input.number(UInt16.self))
            reply.t1LocalNs = input.number()
            reply.t2RigNs = input.number()
            reply.t3RigNs = input.number()
            reply.rigClockID = input.pick(["a", "b"])
            if input.pick([true, false]) {
                (reply.discipline.source, reply.discipline.identity) = ("ptp", input.pick(["x", "y"]))
                reply.discipline.boundNs = input.number()
                reply.discipline.rigNs = input.number()
                reply.discipline.realtimeNs = input.number()
            }
            try add(reply, returned: input.number(), to: &estimator)
        }
    }

    private static func add(_ reply: WireClockReply, returned: Int64, to estimator: inout ClockEstimator) throws {
        let probe = ClockProbe(
            sent: LocalTime(nanoseconds: reply.t1LocalNs), received: RigTime(nanoseconds: reply.t2RigNs),
            replied: RigTime(nanoseconds: reply.t3RigNs), returned: LocalTime(nanoseconds: returned),
            nodeSlewed: Duration.nanoseconds(returned),
            coordinatorSlewed: reply.hasSlewedNs ? .nanoseconds(reply.slewedNs) : nil,
            coordinatorDiscipline: reply.hasDiscipline ? try? DisciplinedClock(wire: reply.discipline) : nil)
        estimator.note(
            DisciplinedClock(
                reference: ClockReference(source: .ptp, identity: "x"), bound: .nanoseconds(reply.discipline.boundNs),
                pair: WallClockPair(
                    monotonic: LocalTime(nanoseconds: returned), realtimeNanoseconds: reply.discipline.realtimeNs)))
        estimator.add(
            probe, ticket: ProbeID(sequence: reply.sequence), clock: RigClockID(rawValue: reply.rigClockID))
        for instant in [0, returned, .min, .max] {
            guard let rig = estimator.rigTime(at: LocalTime(nanoseconds: instant)) else { continue }
            try FuzzFinding.unless(rig.boundNanoseconds >= 0, "the clock is known better than exactly: \(rig)")
            _ = estimator.localTime(at: rig.time)
        }
        _ = estimator.status
    }
}
