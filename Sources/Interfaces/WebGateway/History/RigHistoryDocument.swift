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

    var cameras: [Camera] = []
    var meanSkewSeconds: [Double?] = []
    var nodes: [Node] = []
    var openShots: [Int?] = []
    /// `CLOCK_REALTIME` nanoseconds of the newest values; nil without any.
    var time: Int64?
}

extension RigHistoryDocument: Encodable {
    private enum Key: String, CodingKey {
        case cameras, intervalNanoseconds, meanSkewSeconds, nodes, openShots, time
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(cameras, forKey: .cameras)
        try members.encode(Integer64(RigHistory.interval.nanoseconds), forKey: .intervalNanoseconds)
        try members.encode(meanSkewSeconds, forKey: .meanSkewSeconds)
        try members.encode(nodes, forKey: .nodes)
        try members.encode(openShots, forKey: .openShots)
        try members.encodeIfPresent(time.map(RFC3339.text(realtimeNanoseconds:)), forKey: .time)
    }
}
