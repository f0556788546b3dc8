import CameraKit
public import CaptureModel

/// A clip under construction. Its runs of sound are added in order.
struct SoundAssembly {
    private(set) var samples: [Int16]
    private(set) var gaps: [SoundGap] = []
    private let frameCount: Int
    private let channels: Int
    /// Number of frames from the start that are final.
    private var filled = 0

    init(frameCount: Int, channels: Int) {
        self.frameCount = max(frameCount, 0)
        self.channels = max(channels, 1)
        samples = [Int16](repeating: 0, count: self.frameCount * self.channels)
    }

    /// Puts a run in its place. Parts outside the clip, or within earlier runs, are left out.
    /// - Parameter first: The frame of the clip at which the run begins; negative before the clip.
    /// - Returns: Whether any of it is in the clip.
    mutating func place(_ run: SoundRun, at first: Int) -> Bool {
        let end = first.addingReportingOverflow(run.frameCount).partialValue
        guard end > filled, first < frameCount else { return false }
        leaveGap(until: first, run.cause)
        var frame = first
        for buffer in run.buffers {
            copy(buffer, at: frame)
            frame += buffer.frameCount
        }
        filled = min(end, frameCount)
        return true
    }

    /// Ends the clip.
    /// - Parameter cause: Why the rest of it is silent.
    mutating func close(_ cause: SoundGap.Cause) {
        leaveGap(until: frameCount, cause)
        filled = frameCount
    }

    private mutating func leaveGap(until frame: Int, _ cause: SoundGap.Cause) {
        if frame > filled { gaps.append(SoundGap(frames: filled..<min(frame, frameCount), cause: cause)) }
    }

    private mutating func copy(_ buffer: AudioBuffer, at first: Int) {
        let lower = max(first, filled)
        let upper = min(first + buffer.frameCount, frameCount)
        guard lower < upper else { return }
        let source = buffer.samples[(lower - first) * channels..<(upper - first) * channels]
        samples.replaceSubrange(lower * channels..<upper * channels, with: source)
    }
}

/// The true rate of a microphone's clock, from the stamps of its buffers: the slope of time over frames, by least
/// squares over all runs. Each run has a separate offset, so that the length of a gap does not matter.
///
/// If stamps are off by at most e over a span of s, the slope is off by at most 3 e / s, if the stamps are evenly
/// spread. Independent errors have a much smaller effect.
struct SampleRateEstimate: Hashable, Sendable {
    /// Nanoseconds from frame to frame; the nominal value if nothing was measured.
    private(set) var nanosecondsPerFrame: Double
    /// Frames per second; nil if the stamps span too little time, or give a rate that no sound card has.
    private(set) var rate: Double?
    /// Largest error of `rate`, in frames per second.
    private(set) var bound: Double?

    /// A shorter span gives no rate.
    private static let shortestSpan = Duration.seconds(1)
    /// If a card's clock is farther off, its stamps are considered wrong instead.
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
            // The longest run alone bounds the error; others only make it smaller.
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

/// The sound of a window of time: its samples as the microphone recorded them, each in its place, with silence where
/// there are none.
///
/// Samples are not resampled. They are placed by the microphone's stamps, all of a run together, so that a single
/// stamp's error has little effect. Frame *i* was recorded at the start of the window plus *i* of the microphone's true
/// frame intervals, ± ``bound``. Played at the nominal rate, the clip's end is off by the window times the clock's
/// deviation: 50 ppm make 0.15 ms in three seconds.
public struct SoundClip: Hashable, Sendable {
    public var window: ClosedRange<LocalTime>
    /// The nominal rate. ``measuredRate`` is the true one.
    public var format: AudioFormat
    /// Signed, interleaved. As many frames as the window has at the measured rate.
    public var samples: [Int16]
    /// The ranges without sound, in order, with their causes.
    public var gaps: [SoundGap]
    /// Frames per second of the rig's time; nil if there was too little sound to measure it, and the nominal rate was
    /// used.
    public var measuredRate: Double?
    /// Largest error of `measuredRate`.
    public var measuredRateBound: Double?
    /// The largest error of a sample's place: the stamps' bound and half a frame.
    public var bound: Duration
    /// Why the microphone was not running, if it was not; a sentence.
    public var problem: String?

    public var frameCount: Int { samples.count / max(format.channels, 1) }

    /// The samples as files store them: little-endian, interleaved.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// Whether there is no sound at all.
    public var isSilent: Bool { gaps.first?.frames == 0..<frameCount }
}

extension SoundClip {
    /// Creates a clip of the sound that a ring has for a window.
    /// - Parameters:
    ///   - format: The format of the silence if the ring is empty.
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

    /// Ten minutes, in nanoseconds. A clip is made in memory, and longer ones are cut.
    private static let longest = 6e11
}

/// A range of a clip without sound. Its samples are zero.
public struct SoundGap: Hashable, Sendable {
    public typealias Cause = ClipSilence.Cause

    /// Frames of the clip, from 0.
    public var frames: Range<Int>
    public var cause: Cause

    public init(frames: Range<Int>, cause: Cause) {
        self.frames = frames
        self.cause = cause
    }
}

/// Sound without a gap: buffers that follow one another.
struct SoundRun: Sendable {
    /// Why the sound before it is missing.
    let cause: SoundGap.Cause
    private(set) var buffers: [AudioBuffer]

    init(_ first: AudioBuffer, after cause: SoundGap.Cause) {
        self.cause = cause
        buffers = [first]
    }

    mutating func append(_ buffer: AudioBuffer) {
        buffers.append(buffer)
    }

    /// Number of the first frame in its stream.
    var position: UInt64 { buffers.first?.position ?? 0 }

    var frameCount: Int { buffers.reduce(0) { $0 + $1.frameCount } }

    /// The largest error of its stamps.
    var stampBound: Duration { buffers.map(\.stampBound).max() ?? .zero }

    /// Each buffer's first frame, counted from the run's first one, and its stamp, in nanoseconds from the first one's.
    var stamps: [(frame: Double, nanoseconds: Double)] {
        guard let first = buffers.first else { return [] }
        return buffers.map {
            (Double($0.position &- first.position), Double(($0.firstFrame - first.firstFrame).nanoseconds))
        }
    }

    /// Returns when its first frame was recorded, from all its stamps together.
    func start(nanosecondsPerFrame: Double) -> LocalTime {
        guard let first = buffers.first else { return LocalTime(nanoseconds: 0) }
        let late = stamps.map { $0.nanoseconds - $0.frame * nanosecondsPerFrame }
        let mean = late.reduce(0, +) / Double(late.count)
        return first.firstFrame + .nanoseconds(Int64(exactly: mean.rounded()) ?? 0)
    }
}
