public import CaptureModel
internal import Movies

/// A microphone as where the sound of clips comes from.
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
        let nanoseconds = { (frame: Int) in Int64(exactly: (Double(frame) * 1e9 / rate).rounded()) ?? .max }
        return gaps.map { gap in
            let start = nanoseconds(gap.frames.lowerBound)
            return ClipSilence(
                startNanoseconds: start, durationNanoseconds: nanoseconds(gap.frames.upperBound) - start,
                cause: gap.cause)
        }
    }
}
