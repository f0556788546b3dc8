public import CaptureModel

/// Where the sound of clips comes from: a microphone, which cameras may share.
public protocol ClipSoundSource: Sendable {
    /// Why a clip would have no sound as things stand, a sentence without its subject; nil while sound comes.
    func silence() async -> String?
    /// Bytes that a second of its sound takes in a movie.
    func bytesPerSecond() async -> Int
    /// The sound of a window of the node's clock, as long as the window: returns when all of it has come, or is not to be
    /// expected any more. What did not come is silence.
    func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound
}
