import CaptureModel

/// The true rate of a microphone's clock, from the stamps of what it delivered: the slope of time over frames, by least
/// squares over all runs, each with a beginning of its own, so that what a gap has cost does not matter.
///
/// Of stamps that are off by at most e over a span of s the slope is off by at most 3 e / s, where the stamps are evenly
/// spread; errors that are not conspiring are less by far.
struct SampleRateEstimate: Hashable, Sendable {
    /// Nanoseconds from frame to frame; the nominal value where nothing was measured.
    private(set) var nanosecondsPerFrame: Double
    /// Frames a second; nil where the stamps span too little time, or say what no sound card does.
    private(set) var rate: Double?
    /// Largest error of `rate`, frames a second.
    private(set) var bound: Double?

    /// Less time tells no rate.
    private static let shortestSpan = Duration.seconds(1)
    /// A card whose clock is farther off is believed to have wrong stamps instead.
    private static let largestDeviation = 0.02

    init(_ runs: [SoundRun], format: AudioFormat) {
        nanosecondsPerFrame = format.nanosecondsPerFrame
        var (covariance, variance, span, error) = (0.0, 0.0, 0.0, 0.0)
        for run in runs {
            let stamps = run.stamps
            let frames = stamps.map(\.frame)
            let meanFrame = frames.reduce(0, +) / Double(max(stamps.count, 1))
            let meanTime = stamps.reduce(0) { $0 + $1.nanoseconds } / Double(max(stamps.count, 1))
            for stamp in stamps {
                covariance += (stamp.frame - meanFrame) * (stamp.nanoseconds - meanTime)
                variance += (stamp.frame - meanFrame) * (stamp.frame - meanFrame)
            }
            // The longest run alone bounds the error: others only make it smaller.
            let length = (frames.last ?? 0) * format.nanosecondsPerFrame
            if length > span { (span, error) = (length, Double(run.stampBound.nanoseconds)) }
        }
        guard span >= Double(Self.shortestSpan.nanoseconds), variance > 0 else { return }
        let slope = covariance / variance
        guard abs(slope / format.nanosecondsPerFrame - 1) <= Self.largestDeviation else { return }
        nanosecondsPerFrame = slope
        rate = 1e9 / slope
        bound = 1e9 / slope * 3 * error / span
    }
}
