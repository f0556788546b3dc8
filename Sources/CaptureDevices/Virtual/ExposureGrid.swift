import CaptureModel

/// The instants at which a free-running camera exposes: frame `k` around `phase + k · interval`, jittered.
struct ExposureGrid: Hashable {
    /// Nanoseconds, drift included; positive.
    let interval: Double
    /// Nanoseconds.
    let phase: Double
    /// Largest deviation in nanoseconds.
    let jitter: Double
    let noise: SeededNoise

    private static let jitterStream: UInt64 = 0x6A69_7474_6572

    init(_ configuration: VirtualCameraConfiguration, framesPerSecond: Double) {
        let nominal = 1e9 / framesPerSecond
        interval = nominal * (1 + configuration.driftPPM * 1e-6)
        phase = configuration.phaseMilliseconds * 1e6
        jitter = min(configuration.jitterMilliseconds * 1e6, VirtualLimits.jitterShare * nominal)
        noise = configuration.noise
    }

    /// Mid-exposure of frame `index`.
    func midExposure(_ index: Int64) -> LocalTime {
        let spread = 2 * noise.fraction(at: UInt64(bitPattern: index), stream: Self.jitterStream) - 1
        return LocalTime(nanoseconds: Self.integer(phase + Double(index) * interval + spread * jitter))
    }

    /// The first frame whose place, jitter aside, is not before `instant`.
    func firstIndex(notBefore instant: LocalTime) -> Int64 {
        Self.integer(((Double(instant.nanoseconds) - phase) / interval).rounded(.up))
    }

    /// How many whole intervals fit into `duration`; zero when it is negative.
    func intervals(in duration: Duration) -> Int64 {
        max(0, Self.integer((Double(duration.nanoseconds) / interval).rounded(.down)))
    }

    /// The nearest integer; the largest where the value is beyond them, as after centuries.
    private static func integer(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded()) ?? (value < 0 ? .min / 2 : .max / 2)
    }
}
