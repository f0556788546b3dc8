import CameraKit
import CaptureModel

extension SoundClip {
    /// The sound that a ring has of a window.
    /// - Parameters:
    ///   - format: Of the silence, where the ring is empty.
    ///   - tail: Why the sound after the newest is missing.
    init(of window: ClosedRange<LocalTime>, from ring: AudioRing, format: AudioFormat, tail: SoundGap.Cause) {
        let format = ring.newest?.format ?? format
        let runs = ring.runs
        let rate = SampleRateEstimate(runs, format: format)
        let length = Double(max(0, (window.upperBound - window.lowerBound).nanoseconds))
        var assembly = SoundAssembly(
            frameCount: Int((min(length, Self.longest) / rate.nanosecondsPerFrame).rounded()),
            channels: format.channels)
        var stampBound = Duration.zero
        for run in runs {
            let start = run.start(nanosecondsPerFrame: rate.nanosecondsPerFrame)
            let offset = Double((start - window.lowerBound).nanoseconds) / rate.nanosecondsPerFrame
            guard let first = Int(exactly: offset.rounded()) else { continue }
            if assembly.place(run, at: first) { stampBound = max(stampBound, run.stampBound) }
        }
        assembly.close(tail)
        self.init(
            window: window, format: format, samples: assembly.samples, gaps: assembly.gaps, measuredRate: rate.rate,
            measuredRateBound: rate.bound, bound: stampBound + .nanoseconds(Int64(rate.nanosecondsPerFrame / 2)))
    }

    /// Ten minutes, in nanoseconds: a clip is made in memory, and longer ones are cut.
    private static let longest = 6e11
}
