public import CaptureModel

/// An event of the rig: a line of `capctl events` and `capctl watch`.
public struct EventDocument: Encodable, Sendable {
    /// Absent, like `rigNanoseconds`, while the node has no clock estimate.
    var boundNanoseconds: Integer64?
    var coordinatorEpoch: String
    var details: [String: String]
    var device: String?
    var localNanoseconds: Integer64
    var name: String
    /// Absent for events of the coordinator itself.
    var node: String?
    var realtime: String
    var rigNanoseconds: Integer64?
    var sequence: Integer64
    var shot: String?

    public init(_ event: FeedEvent) {
        let source = event.source.event
        boundNanoseconds = (source.rig?.boundNanoseconds).map(Integer64.init)
        coordinatorEpoch = event.coordinatorEpoch.description
        details = source.details
        device = source.device?.description
        localNanoseconds = Integer64(source.local.nanoseconds)
        name = source.name.rawValue
        node = event.node?.rawValue
        realtime = RFC3339.text(realtimeNanoseconds: source.realtimeNanoseconds)
        rigNanoseconds = (source.rig?.time.nanoseconds).map(Integer64.init)
        sequence = Integer64(event.sequence)
        shot = source.shot?.description
    }
}
