public import CaptureModel

/// The source of the sound of clips: a microphone, which cameras may share.
public protocol ClipSoundSource: Sendable {
    /// Returns why a clip would have no sound at present, a sentence without its subject; nil if there is sound.
    func silence() async -> String?
    /// Returns the bytes that a second of its sound needs in a movie.
    func bytesPerSecond() async -> Int
    /// Returns the sound of a window of the node's clock, as long as the window, when all of it has arrived, or is not
    /// expected. Sound that did not arrive is silence.
    func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound
}
