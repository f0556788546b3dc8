public import CaptureModel
public import RigProtocol

extension TriggerRequest {
    public init(wire: WireTrigger) throws(WireError) {
        let reader = FieldReader("Trigger")
        let timeout = try reader.number(wire.timeoutNs, "timeout_ns", in: WireLimits.timeout)
        self.init(
            shot: try reader.shotID(wire.shotID), request: try ShotRequest(wire: wire.request),
            timeout: timeout == 0 ? nil : .nanoseconds(timeout))
    }

    public var wire: WireTrigger {
        var wire = WireTrigger()
        wire.shotID = shot.wire
        wire.request = request.wire
        wire.timeoutNs = timeout?.nanoseconds ?? 0
        return wire
    }
}
