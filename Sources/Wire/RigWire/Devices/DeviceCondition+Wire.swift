public import CaptureModel
public import RigProtocol

extension DeviceCondition {
    public init(wire: WireDeviceCondition) throws(WireError) {
        let reader = FieldReader("DeviceCondition")
        self.init(
            state: try reader.word(wire.state, "state", as: State.self),
            reason: wire.hasReason ? wire.reason.sentence(limit: WireLimits.reasonByteCount) : nil,
            format: wire.hasFormat ? try VideoFormat(wire: wire.format) : nil,
            counters: try FrameCounters(wire: try reader.present(wire.hasCounters ? wire.counters : nil, "counters")),
            phase: try Self.phase(of: wire, reader),
            session: wire.hasSession ? try SessionCondition(wire: wire.session) : nil)
    }

    private static func phase(of wire: WireDeviceCondition, _ reader: FieldReader) throws(WireError) -> FramePhase? {
        guard wire.hasPhaseRigNs || wire.hasPeriodNs else { return nil }
        let phase = try reader.present(wire.hasPhaseRigNs ? wire.phaseRigNs : nil, "phase_rig_ns")
        let period = try reader.present(wire.hasPeriodNs ? wire.periodNs : nil, "period_ns")
        return FramePhase(
            midExposure: RigTime(nanoseconds: phase),
            periodNanoseconds: try reader.number(period, "period_ns", in: WireLimits.frameInterval))
    }

    public var wire: WireDeviceCondition {
        var wire = WireDeviceCondition()
        wire.state = state.rawValue
        if let reason { wire.reason = reason.sentence(limit: WireLimits.reasonByteCount) }
        if let format { wire.format = format.wire }
        wire.counters = counters.wire
        if let phase {
            wire.phaseRigNs = phase.midExposure.nanoseconds
            wire.periodNs = phase.periodNanoseconds
        }
        if let session { wire.session = session.wire }
        return wire
    }
}
