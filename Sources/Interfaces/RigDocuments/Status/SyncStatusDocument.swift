internal import CaptureModel
public import RigClient

/// How every node knows rig time: `capctl sync status`.
public struct SyncStatusDocument: Encodable, Sendable {
    var nodes: [Node]
    var rigClock: String
    var rigNowNanoseconds: Integer64

    /// A node; the members are those of ``StatusDocument``.
    struct Node: Encodable {
        var clock: ClockDocument?
        var clockBoundNanoseconds: Integer64?
        var connected: Bool
        var node: String
    }

    public init(_ status: RigStatus) {
        nodes = status.nodes.map { node in
            Node(
                clock: node.clock.map(ClockDocument.init),
                clockBoundNanoseconds: (node.clockBound?.nanoseconds).map(Integer64.init), connected: node.isConnected,
                node: node.node.rawValue)
        }
        rigClock = status.rigClock.rawValue
        rigNowNanoseconds = Integer64(status.now.nanoseconds)
    }
}

/// ``ClockStatus``.
struct ClockDocument: Encodable {
    /// Absent if the link is not congested.
    var congestedSinceRigNanoseconds: Integer64?
    var newestRigNanoseconds: Integer64
    var offsetNanoseconds: Integer64
    var ratePartsPerBillion: Int64
    var roundTripNanoseconds: Integer64
    var shortestRoundTripNanoseconds: Integer64
    var sinceRigNanoseconds: Integer64
    var source: String

    init(_ status: ClockStatus) {
        congestedSinceRigNanoseconds = (status.congestedSince?.nanoseconds).map(Integer64.init)
        newestRigNanoseconds = Integer64(status.newest.nanoseconds)
        offsetNanoseconds = Integer64(status.offset.nanoseconds)
        ratePartsPerBillion = status.ratePartsPerBillion
        roundTripNanoseconds = Integer64(status.roundTrip.nanoseconds)
        shortestRoundTripNanoseconds = Integer64(status.shortestRoundTrip.nanoseconds)
        sinceRigNanoseconds = Integer64(status.since.nanoseconds)
        source = status.source.rawValue
    }
}
