public import CaptureModel

/// A stretch of a clip of which there is no sound; its samples are zero.
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
