import CameraKit
public import CaptureModel
public import Movies

/// The times and sizes of a microphone's session.
public struct SoundPolicy: Hashable, Sendable {
    /// The time span of the ring: at least the longest window, the lead of a shot and the wait for the window's end.
    public var ringDepth: Duration
    /// Limit on the bytes of samples in the ring.
    public var ringByteLimit: Int
    /// A stream that delivers nothing for this long is restarted.
    public var stallTimeout: Duration
    /// Delays between attempts to open the microphone: the first, doubled each time up to the last.
    public var firstRetry: Duration
    public var lastRetry: Duration
    /// After delivering for this long, a stream's earlier failures do not count.
    public var goodPeriod: Duration
    /// How long after a window's end its sound is awaited.
    public var patience: Duration

    public init(
        ringDepth: Duration = .seconds(15), ringByteLimit: Int = 16 << 20, stallTimeout: Duration = .seconds(2),
        firstRetry: Duration = .milliseconds(250), lastRetry: Duration = .seconds(5),
        goodPeriod: Duration = .seconds(10), patience: Duration = .seconds(1)
    ) {
        self.ringDepth = ringDepth
        self.ringByteLimit = ringByteLimit
        self.stallTimeout = stallTimeout
        self.firstRetry = firstRetry
        self.lastRetry = lastRetry
        self.goodPeriod = goodPeriod
        self.patience = patience
    }
}

/// The sound of the time of a clip.
public struct ClipSound: Sendable {
    /// The sound, as long as the clip; nil if there is none at all.
    public var sound: MovieSound?
    /// The ranges that are silent because sound is missing, in order; at most ``ClipSilence/limit``.
    public var silences: [ClipSilence]

    /// - Parameter silences: If there are too many, the last one kept extends to the end of all.
    public init(sound: MovieSound?, silences: [ClipSilence]) {
        self.sound = sound
        self.silences = Array(silences.prefix(ClipSilence.limit))
        guard silences.count > ClipSilence.limit, let end = silences.last, var last = self.silences.popLast() else {
            return
        }
        last.durationNanoseconds = end.startNanoseconds + end.durationNanoseconds - last.startNanoseconds
        self.silences.append(last)
    }
}

/// A caller that waits for the sound of an instant.
final class SoundListener: Sendable {
    let instant: LocalTime
    let alarm: Alarm

    init(instant: LocalTime, clock: any TimeSource) {
        self.instant = instant
        alarm = Alarm(clock: clock)
    }
}

extension SoundMachine {
    /// The state of the microphone, in the terms that all devices share.
    var state: DeviceCondition.State {
        if isDelivering { return .running }
        guard isWanted else { return .stopped }
        switch trouble?.kind {
        case nil: return .starting
        case .interruption(.deviceAbsent): return .absent
        case .interruption(.inUseByAnotherClient): return .busy
        case .refused: return .denied
        case .stall: return .stalled
        case .interruption, .configuration, .runtime: return .failed
        }
    }

    /// A sentence that says why it does not run and what to do; nil if it runs or starts.
    var reason: String? {
        if isDelivering { return nil }
        return isWanted ? trouble?.description : "nothing needs sound, so the microphone is not open"
    }
}

/// A microphone as the source of the sound of clips.
extension SoundSession: ClipSoundSource {
    public func silence() -> String? {
        let (state, reason) = state
        return state == .running ? nil : reason ?? "its microphone \(device.id) is \(state.rawValue)"
    }

    public func bytesPerSecond() -> Int { format.sampleRate * format.channels * MemoryLayout<Int16>.size }

    public func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound {
        let clip = await sound(in: window)
        let sound = MovieSound(
            samples: clip.bytes, sampleRate: clip.format.sampleRate, channelCount: clip.format.channels)
        return ClipSound(sound: clip.isSilent ? nil : sound, silences: clip.silences)
    }
}

extension SoundClip {
    /// Its gaps in time.
    var silences: [ClipSilence] {
        let rate = measuredRate ?? Double(format.sampleRate)
        let nanoseconds = { (frame: Int) in Int64(clampingRounded: Double(frame) * 1e9 / rate) }
        return gaps.map { gap in
            let start = nanoseconds(gap.frames.lowerBound)
            return ClipSilence(
                startNanoseconds: start, durationNanoseconds: nanoseconds(gap.frames.upperBound) - start,
                cause: gap.cause)
        }
    }
}
