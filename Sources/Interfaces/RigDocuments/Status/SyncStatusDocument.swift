public import CaptureModel
public import RigClient

/// How every node knows rig time, and when every camera exposes: `capctl sync status`.
public struct SyncStatusDocument: Encodable, Sendable {
    /// The cameras whose phase or stamps are known.
    var cameras: [Camera]
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

    /// A camera; the members of its phase are absent while it does not stream.
    struct Camera: Encodable {
        /// Absent if its exposures run free.
        var alignment: AlignmentDocument?
        /// The largest error of the phase; absent if the agent does not report it.
        var boundNanoseconds: Integer64?
        var device: DeviceID
        var periodNanoseconds: Integer64?
        /// Its mid-exposures are the rig times that are a multiple of the period after this.
        var phaseNanoseconds: Integer64?
        /// Absent if the agent does not report them.
        var stamps: CameraStampsDocument?
    }

    public init(_ status: RigStatus, devices: [DeviceStatus]) {
        cameras = devices.compactMap { device in
            let (phase, stamps) = (device.condition.phase, device.condition.stamps)
            guard phase != nil || stamps != nil else { return nil }
            return Camera(
                alignment: (device.condition.session?.alignment).map(AlignmentDocument.init),
                boundNanoseconds: (phase?.boundNanoseconds).map(Integer64.init), device: device.device.id,
                periodNanoseconds: phase.map { Integer64($0.periodNanoseconds) },
                phaseNanoseconds: phase.map { Integer64($0.offset.nanoseconds) },
                stamps: stamps.map(CameraStampsDocument.init))
        }
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
    /// Absent if neither PTP nor NTP contradicts the probes.
    var conflict: Conflict?
    /// Absent if the link is not congested.
    var congestedSinceRigNanoseconds: Integer64?
    var newestRigNanoseconds: Integer64
    var offsetNanoseconds: Integer64
    var ratePartsPerBillion: Int64
    var roundTripNanoseconds: Integer64
    var shortestRoundTripNanoseconds: Integer64
    var sinceRigNanoseconds: Integer64
    var source: String

    /// ``ClockConflict``.
    struct Conflict: Encodable {
        var claimedBoundNanoseconds: Integer64
        var claimedOffsetNanoseconds: Integer64
        var identity: String
        var provenBoundNanoseconds: Integer64
        var provenOffsetNanoseconds: Integer64
        var sinceRigNanoseconds: Integer64
        var source: String

        init(_ conflict: ClockConflict) {
            claimedBoundNanoseconds = Integer64(conflict.claimed.bound.nanoseconds)
            claimedOffsetNanoseconds = Integer64(conflict.claimed.offset.nanoseconds)
            identity = conflict.reference.identity
            provenBoundNanoseconds = Integer64(conflict.proven.bound.nanoseconds)
            provenOffsetNanoseconds = Integer64(conflict.proven.offset.nanoseconds)
            sinceRigNanoseconds = Integer64(conflict.since.nanoseconds)
            source = conflict.reference.source.rawValue
        }
    }

    init(_ status: ClockStatus) {
        conflict = status.conflict.map(Conflict.init)
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
