public import CaptureModel
public import RigProtocol

extension TriggerRequest {
    public init(wire: WireTrigger) throws(WireError) {
        let reader = FieldReader("Trigger")
        let selection = try Selection(wire: try reader.present(wire.hasSelection ? wire.selection : nil, "selection"))
        let settings = try PhotoSettings(wire: try reader.present(wire.hasSettings ? wire.settings : nil, "settings"))
        let time = try Self.time(try reader.present(wire.time, "time"), reader)
        let timeout = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.timeout)
        self.init(
            shot: try reader.shotID(wire.shotID),
            request: ShotRequest(selection: selection, settings: settings, time: time, requireAll: wire.requireAll),
            timeout: timeout == 0 ? nil : .nanoseconds(timeout))
    }

    private static func time(_ time: WireTrigger.OneOf_Time, _ reader: FieldReader) throws(WireError) -> RequestedTime {
        switch time {
        case .leadNs(let lead):
            .soon(lead: lead < 0 ? nil : lead)
        case .relativeNs(let nanoseconds):
            .relative(nanoseconds: nanoseconds)
        case .realtimeNs(let nanoseconds):
            .absolute(realtimeNanoseconds: try reader.number(nanoseconds, "realtime_ns", in: WireLimits.nonNegative))
        }
    }

    public var wire: WireTrigger {
        var wire = WireTrigger()
        wire.shotID = shot.wire
        wire.selection = request.selection.wire
        wire.settings = request.settings.wire
        switch request.time {
        case .soon(let lead): wire.leadNs = lead.map { max($0, 0) } ?? -1
        case .relative(let nanoseconds): wire.relativeNs = nanoseconds
        case .absolute(let nanoseconds): wire.realtimeNs = nanoseconds
        }
        wire.requireAll = request.requireAll
        wire.timeoutNs = timeout?.nanoseconds ?? 0
        return wire
    }
}
