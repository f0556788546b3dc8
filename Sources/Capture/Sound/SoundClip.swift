public import CaptureModel

/// The sound of a window of time: its samples as the microphone took them, each in its place, silence where there are none.
///
/// Samples are not resampled. They are placed by the microphone's stamps, all of a stretch together, so that a single
/// stamp's error counts little; frame *i* was taken at the window's beginning plus *i* of the microphone's true frame
/// intervals, ± ``bound``. Played at the nominal rate the clip's end is off by the window times the clock's deviation:
/// 50 ppm make 0.15 ms in three seconds.
public struct SoundClip: Hashable, Sendable {
    public var window: ClosedRange<LocalTime>
    /// The nominal rate; ``measuredRate`` is the true one.
    public var format: AudioFormat
    /// Signed, interleaved; as many frames as the window has at the measured rate.
    public var samples: [Int16]
    /// Where there is no sound, in order, and why.
    public var gaps: [SoundGap]
    /// Frames a second of the rig's time; nil where too little was heard to measure it, and the nominal one was taken.
    public var measuredRate: Double?
    /// Largest error of `measuredRate`.
    public var measuredRateBound: Double?
    /// How far any sample may be from its place: the stamps' bound and half a frame.
    public var bound: Duration
    /// Why the microphone was not running, where it was not; a sentence.
    public var problem: String?

    public var frameCount: Int { samples.count / max(format.channels, 1) }

    /// The samples as files have them: little-endian, interleaved.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 2)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// Whether nothing at all was heard.
    public var isSilent: Bool { gaps.first?.frames == 0..<frameCount }
}
