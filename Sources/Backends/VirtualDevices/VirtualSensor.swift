import CameraKit
import CaptureModel

/// Plans the exposures of one stream. It has no clock: the caller passes the instants.
struct VirtualSensor {
    private let framesPerSecond: Double
    private let firstExposure: LocalTime
    private var last: (grid: ExposureGrid, index: Int64, exposure: Exposure)?

    /// - Parameter firstExposure: No shutter opens before it.
    init(framesPerSecond: Double, firstExposure: LocalTime) {
        self.framesPerSecond = framesPerSecond
        self.firstExposure = firstExposure
    }

    /// Returns the next frame. Changes of the configuration take effect with it; sequence and stamps keep rising.
    mutating func next(_ configuration: VirtualCameraConfiguration, now: LocalTime) -> Exposure {
        let framesPerSecond = configuration.actualFramesPerSecond ?? framesPerSecond
        let grid = ExposureGrid(configuration, framesPerSecond: framesPerSecond)
        let interval = Duration.nanoseconds(Int64(1e9 / framesPerSecond))
        let length = min(Duration(clampedMilliseconds: configuration.exposureMilliseconds), interval)
        // No driver delivers a frame before it stamps it.
        let latency = max(
            length / 2 + Duration(clampedMilliseconds: configuration.readoutMilliseconds),
            Duration(clampedMilliseconds: configuration.stampDelayMilliseconds ?? 0))
        var index = nextIndex(on: grid, halfInterval: interval / 2, halfExposure: length / 2)
        let behind = grid.intervals(in: now - (grid.midExposure(index) + latency))
        let skipped = behind > DriverQueue.depth ? behind : 0
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
            // Jitter may move an exposure forward, but not before the start.
            let jitter = Duration.nanoseconds(Int64(grid.jitter.rounded(.up)))
            return grid.firstIndex(notBefore: firstExposure + halfExposure + jitter)
        }
        guard last.grid != grid else { return last.index + 1 }
        // Half an interval is more than jitter can subtract.
        return grid.firstIndex(notBefore: last.exposure.midExposure + halfInterval)
    }
}

extension Duration {
    /// Creates a duration in seconds; zero for NaN, and at most thirty years, so that no configuration can trap.
    init(clampedSeconds seconds: Double) {
        let limit = 1e9
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -limit), limit))
    }

    /// Creates a duration in milliseconds; see ``init(clampedSeconds:)``.
    init(clampedMilliseconds milliseconds: Double) {
        self.init(clampedSeconds: milliseconds / 1000)
    }
}

/// One planned frame of a virtual sensor.
struct Exposure: Hashable {
    /// Counts the exposures of the stream from 0.
    var sequence: UInt64
    var midExposure: LocalTime
    /// How long the shutter is open.
    var length: Duration
    /// When the frame has been read out.
    var delivery: LocalTime
    /// Exposures before this one that nobody could collect.
    var skipped: UInt64
}

/// The instants at which a free-running camera exposes: frame `k` around its place on a grid, jittered.
struct ExposureGrid: Hashable {
    private let grid: FrameGrid
    /// Largest deviation in nanoseconds.
    let jitter: Double
    private let noise: SeededNoise

    private static let jitterStream: UInt64 = 0x6A69_7474_6572

    init(_ configuration: VirtualCameraConfiguration, framesPerSecond: Double) {
        let nominal = 1e9 / framesPerSecond
        grid = FrameGrid(
            interval: nominal * (1 + configuration.driftPPM * 1e-6), phase: configuration.phaseMilliseconds * 1e6)
        jitter = min(configuration.jitterMilliseconds * 1e6, VirtualLimits.jitterShare * nominal)
        noise = configuration.noise
    }

    /// Returns the mid-exposure of frame `index`.
    func midExposure(_ index: Int64) -> LocalTime {
        let spread = 2 * noise.fraction(at: UInt64(bitPattern: index), stream: Self.jitterStream) - 1
        return grid.instant(index, deviation: spread * jitter)
    }

    /// Returns the first frame whose place, without jitter, is not before `instant`.
    func firstIndex(notBefore instant: LocalTime) -> Int64 {
        grid.firstIndex(notBefore: instant)
    }

    /// Returns how many complete intervals fit into `duration`; zero if it is negative.
    func intervals(in duration: Duration) -> Int64 {
        grid.intervals(in: duration)
    }
}

/// Random numbers by place instead of sequence: the same seed, place and stream always give the same number, regardless
/// of earlier calls.
struct SeededNoise: Hashable {
    let seed: UInt64

    /// Returns 64 random bits.
    func bits(at place: UInt64, stream: UInt64) -> UInt64 {
        SplitMix64.mix(SplitMix64.mix(seed &+ stream &* 0xD1B5_4A32_D192_ED03) &+ place)
    }

    /// Returns a number that is at least 0 and less than 1.
    func fraction(at place: UInt64, stream: UInt64) -> Double {
        SplitMix64.fraction(bits(at: place, stream: stream))
    }
}

extension VirtualCameraConfiguration {
    /// The random numbers of this camera.
    var noise: SeededNoise {
        SeededNoise(seed: SeededNoise(seed: seed).bits(at: UInt64(number), stream: 0))
    }

    private static let openingStream: UInt64 = 0x6F70_656E

    /// Returns how far from its configured phase the camera begins to expose when it is opened, the first time with `index` 0.
    func shift(ofOpening index: UInt64) -> Duration {
        guard phaseControl == .restart else { return .zero }
        return Duration(clampedSeconds: noise.fraction(at: index, stream: Self.openingStream) / framesPerSecond)
    }
}
