public import CaptureModel
public import Movies

/// A microphone as where the sound of clips comes from.
extension SoundSession: ClipSoundSource {
    public func silence() -> String? {
        let (state, reason) = state
        return state == .running ? nil : reason ?? "its microphone \(device.id) is \(state.rawValue)"
    }

    public func bytesPerSecond() -> Int { format.sampleRate * format.channels * MemoryLayout<Int16>.size }

    public func movieSound(in window: ClosedRange<LocalTime>) async -> MovieSound? {
        let clip = await sound(in: window)
        guard !clip.isSilent else { return nil }
        return MovieSound(
            samples: clip.bytes, sampleRate: clip.format.sampleRate, channelCount: clip.format.channels)
    }
}
