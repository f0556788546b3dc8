import CaptureModel

/// Plans the exposures of one stream. It has no clock: it is told the instants.
struct VirtualSensor {
    private let framesPerSecond: Double
    private let firstExposure: LocalTime
    private var last: (grid: ExposureGrid, index: Int64, exposure: Exposure)?

    /// Frames that wait in the driver for a late reader, as a V4L2 queue of four buffers holds them.
    private static let queueDepth: Int64 = 4

    /// - Parameter firstExposure: No shutter opens before it.
    init(framesPerSecond: Double, firstExposure: LocalTime) {
        self.framesPerSecond = framesPerSecond
        self.firstExposure = firstExposure
    }

    /// The next frame. Changes of the configuration take effect with it; sequence and stamps keep rising.
    mutating func next(_ configuration: VirtualCameraConfiguration, now: LocalTime) -> Exposure {
        let grid = ExposureGrid(configuration, framesPerSecond: framesPerSecond)
        let interval = Duration.nanoseconds(Int64(1e9 / framesPerSecond))
        let length = min(Duration(clampedMilliseconds: configuration.exposureMilliseconds), interval)
        let latency = length / 2 + Duration(clampedMilliseconds: configuration.readoutMilliseconds)
        var index = nextIndex(on: grid, halfInterval: interval / 2, halfExposure: length / 2)
        let behind = grid.intervals(in: now - (grid.midExposure(index) + latency))
        let skipped = behind > Self.queueDepth ? behind : 0
        index += skipped
        let mid = grid.midExposure(index)
        let exposure = Exposure(
            sequence: (last.map { $0.exposure.sequence &+ 1 } ?? 0) &+ UInt64(skipped), midExposure: mid,
            length: length,
            delivery: mid + latency, skipped: UInt64(skipped))
        last = (grid, index, exposure)
        return exposure
    }

    private func nextIndex(on grid: ExposureGrid, halfInterval: Duration, halfExposure: Duration) -> Int64 {
        guard let last else {
            // Jitter may pull an exposure forward, yet not before the start.
            let jitter = Duration.nanoseconds(Int64(grid.jitter.rounded(.up)))
            return grid.firstIndex(notBefore: firstExposure + halfExposure + jitter)
        }
        guard last.grid != grid else { return last.index + 1 }
        // Half an interval is more than jitter can take back.
        return grid.firstIndex(notBefore: last.exposure.midExposure + halfInterval)
    }
}
