public import CaptureModel
public import Movies

/// What was heard in the time of a clip.
public struct ClipSound: Sendable {
    /// As long as the clip; nil where nothing at all was heard.
    public var sound: MovieSound?
    /// Where it is silence because sound is missing, in order; at most ``ClipSilence/limit``.
    public var silences: [ClipSilence]

    /// - Parameter silences: Where they are too many, the last one that is kept reaches to the end of all.
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
