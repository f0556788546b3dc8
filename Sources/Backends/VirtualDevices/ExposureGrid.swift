import CameraKit
import CaptureModel

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

    /// Mid-exposure of frame `index`.
    func midExposure(_ index: Int64) -> LocalTime {
        let spread = 2 * noise.fraction(at: UInt64(bitPattern: index), stream: Self.jitterStream) - 1
        return grid.instant(index, deviation: spread * jitter)
    }

    /// The first frame whose place, jitter aside, is not before `instant`.
    func firstIndex(notBefore instant: LocalTime) -> Int64 {
        grid.firstIndex(notBefore: instant)
    }

    /// How many whole intervals fit into `duration`; zero when it is negative.
    func intervals(in duration: Duration) -> Int64 {
        grid.intervals(in: duration)
    }
}
