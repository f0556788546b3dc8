internal import CaptureModel
internal import RigClient
internal import RigWire

/// What came of one stream of frames while somebody counted.
struct FrameTally: Sendable {
    /// Latencies kept; further frames are counted without.
    private static let latencyLimit = 100_000

    private(set) var count = 0
    private(set) var byteCount = 0
    /// Messages the node published and that did not come here: newest wins.
    private(set) var missed: UInt64 = 0
    /// Frames of the camera that the node published no message of; not those before the first message.
    private(set) var drops = OutputDrops()
    private(set) var latencies: [Duration] = []
    /// The largest error of a latency.
    private(set) var latencyBound = Duration.zero
    private(set) var newest: FrameHeader?
    private var times: (first: LocalTime, last: LocalTime)?

    /// - Parameter latency: From the frame's dequeue on its node to its arrival here, with its largest error.
    mutating func note(_ frame: ReceivedFrame, latency: (value: Duration, bound: Duration)?) {
        count += 1
        byteCount += frame.byteCount
        if let newest, newest.epoch == frame.header.epoch {
            if frame.header.number > newest.number { missed &+= frame.header.number - newest.number - 1 }
            drops.add(frame.header.drops)
        }
        newest = frame.header
        times = (times?.first ?? frame.received, frame.received)
        if let latency, latencies.count < Self.latencyLimit {
            latencies.append(latency.value)
            latencyBound = max(latencyBound, latency.bound)
        }
    }

    /// Time from the first to the last frame.
    var span: Duration { times.map { $0.last - $0.first } ?? .zero }

    /// Frames a second; nil before two have come.
    var rate: Double? { count > 1 && span > .zero ? Double(count - 1) / span.seconds : nil }

    /// Bytes a second, by the mean size of all frames.
    var bytesPerSecond: Double? { rate.map { $0 * Double(byteCount) / Double(count) } }
}
