internal import CaptureModel
internal import RigDocuments

/// ``RigHistory`` for pages: `GET /history`. All series have one length; nil is a value that is not known.
struct RigHistoryDocument {
    struct Camera: Encodable {
        var device: DeviceID
        /// Rounded to tenths.
        var framesPerSecond: [Double?]
        /// In the interval.
        var lostFrames: [UInt64?]
    }

    struct Node: Encodable {
        var clockBoundSeconds: [Double?]
        var node: NodeName
        var spoolUsedBytes: [Int64?]
    }

    /// A shot with the two cameras whose pictures are farthest apart.
    private struct Shot: Encodable {
        var boundNanoseconds: Integer64
        var earliest: DeviceID
        var latest: DeviceID
        var shot: ShotID
        var spreadNanoseconds: Integer64
        var time: String

        init(_ entry: ShotSpreads.Entry) {
            boundNanoseconds = Integer64(entry.simultaneity.boundNanoseconds)
            earliest = entry.simultaneity.earliest
            latest = entry.simultaneity.latest
            shot = entry.shot
            spreadNanoseconds = Integer64(entry.simultaneity.spreadNanoseconds)
            time = RFC3339.text(realtimeNanoseconds: entry.realtimeNanoseconds)
        }
    }

    var cameras: [Camera] = []
    var meanSkewSeconds: [Double?] = []
    var nodes: [Node] = []
    var openShots: [Int?] = []
    /// The newest shots, the oldest of them first.
    var shots: [ShotSpreads.Entry] = []
    /// `CLOCK_REALTIME` nanoseconds of the newest values; nil without any.
    var time: Int64?
}

extension RigHistoryDocument: Encodable {
    private enum Key: String, CodingKey {
        case cameras, intervalNanoseconds, meanSkewSeconds, nodes, openShots, shots, time
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(cameras, forKey: .cameras)
        try members.encode(Integer64(RigHistory.interval.nanoseconds), forKey: .intervalNanoseconds)
        try members.encode(meanSkewSeconds, forKey: .meanSkewSeconds)
        try members.encode(nodes, forKey: .nodes)
        try members.encode(openShots, forKey: .openShots)
        try members.encode(shots.map(Shot.init), forKey: .shots)
        try members.encodeIfPresent(time.map(RFC3339.text(realtimeNanoseconds:)), forKey: .time)
    }
}
