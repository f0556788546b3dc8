internal import CaptureModel
internal import RigClient

/// The figures of a rig over the last hour, one value of each series in ten seconds, for charts.
///
/// Values lie on a grid that begins with the first answer of the coordinator. An interval without an answer has no values, and so has a rate
/// whose counter began again or was not read in the interval before: pages draw gaps.
struct RigHistory {
    static let interval = Duration.seconds(10)
    /// The intervals that are kept: an hour.
    static let length = 360
    /// Cameras and nodes whose figures are kept, in the coordinator's order; of further ones there are none.
    static let cameraLimit = 256
    static let nodeLimit = 128

    fileprivate struct Sample {
        /// The interval, counted from the first.
        var number: Int
        var openShots: Int
        /// Seconds; of the pictures of shots that were settled in the interval, without their signs. nil without pictures.
        var meanSkew: Double?
        var nodes: [NodeName: Node] = [:]
        var cameras: [DeviceID: Camera] = [:]

        struct Node {
            /// Seconds; nil until the clock is synchronized.
            var clockBound: Double?
            var spoolUsedBytes: Int64
        }

        struct Camera {
            var framesPerSecond: Double
            var lostFrames: UInt64
        }
    }

    /// What only grows, as it was read last.
    private struct Counts {
        var number: Int
        var at: LocalTime
        var epoch: Epoch
        var skews: SkewHistogram?
        var cameras: [DeviceID: FrameCounters]
    }

    private var origin: LocalTime?
    private var samples: [Sample] = []
    private var counts: Counts?

    /// Takes over an answer of the coordinator. Of several in an interval the first counts.
    /// - Parameter now: When it arrived.
    mutating func add(_ status: RigStatus, _ devices: [DeviceStatus], at now: LocalTime) {
        let origin = origin ?? now
        self.origin = origin
        let number = Self.number(of: now, from: origin)
        guard samples.last.map({ $0.number < number }) ?? true else { return }
        let known = devices.filter { $0.device.mediaType == .video && $0.condition.state != .unreachable }
            .prefix(Self.cameraLimit)
        let read = Counts(
            number: number, at: now, epoch: status.coordinatorEpoch, skews: status.shotCounts?.skews,
            cameras: Dictionary(known.map { ($0.device.id, $0.condition.counters) }) { first, _ in first })
        var sample = Sample(number: number, openShots: status.openShots)
        for node in status.nodes.prefix(Self.nodeLimit) where node.isConnected {
            sample.nodes[node.node] = Sample.Node(
                clockBound: node.clockBound?.seconds, spoolUsedBytes: node.spoolUsedBytes)
        }
        if let counts, counts.number == number - 1 {
            sample.cameras = Self.rates(counts, read)
            sample.meanSkew = Self.meanSkew(counts, read)
        }
        counts = read
        samples.append(sample)
        samples.removeAll { $0.number <= number - Self.length }
    }

    private static func number(of now: LocalTime, from origin: LocalTime) -> Int {
        // Answers come a little sooner or later than they are due.
        Int(((now - origin).seconds / interval.seconds).rounded())
    }

    private static func rates(_ before: Counts, _ read: Counts) -> [DeviceID: Sample.Camera] {
        let seconds = (read.at - before.at).seconds
        return read.cameras.reduce(into: [:]) { rates, camera in
            guard let earlier = before.cameras[camera.key], camera.value.delivered >= earlier.delivered,
                camera.value.lost >= earlier.lost
            else { return }
            rates[camera.key] = Sample.Camera(
                framesPerSecond: Double(camera.value.delivered - earlier.delivered) / seconds,
                lostFrames: camera.value.lost - earlier.lost)
        }
    }

    private static func meanSkew(_ before: Counts, _ read: Counts) -> Double? {
        guard before.epoch == read.epoch, let earlier = before.skews, let skews = read.skews else { return nil }
        let pictures = skews.counts.reduce(0, &+) &- earlier.counts.reduce(0, &+)
        return pictures == 0 ? nil : Double(skews.sum &- earlier.sum) / Double(pictures) / 1e9
    }

    /// The document at an instant of the same clock, with the date of that instant.
    func document(at now: LocalTime, realtimeNanoseconds: Int64) -> RigHistoryDocument {
        guard let origin, let first = samples.first, let newest = samples.last else { return RigHistoryDocument() }
        // An answer that is due may be on its way for half an interval.
        let last = max(newest.number, Self.number(of: now, from: origin) - 1)
        let begin = max(first.number, last - Self.length + 1)
        let kept = samples.filter { $0.number >= begin }
        func series<Value>(_ value: (Sample) -> Value?) -> [Value?] {
            var values = [Value?](repeating: nil, count: last - begin + 1)
            for sample in kept { values[sample.number - begin] = value(sample) }
            return values
        }
        var document = RigHistoryDocument()
        let age = now - (origin + .seconds(Double(last) * Self.interval.seconds))
        document.time = realtimeNanoseconds &- age.nanoseconds
        document.openShots = series(\.openShots)
        document.meanSkewSeconds = series(\.meanSkew)
        document.nodes = Set(kept.flatMap(\.nodes.keys)).sorted().map { node in
            RigHistoryDocument.Node(
                clockBoundSeconds: series { $0.nodes[node]?.clockBound }, node: node,
                spoolUsedBytes: series { $0.nodes[node]?.spoolUsedBytes })
        }
        document.cameras = Set(kept.flatMap(\.cameras.keys)).sorted().map { camera in
            RigHistoryDocument.Camera(
                device: camera,
                framesPerSecond: series { ($0.cameras[camera]?.framesPerSecond).map { ($0 * 10).rounded() / 10 } },
                lostFrames: series { $0.cameras[camera]?.lostFrames })
        }
        return document
    }
}
