/// A stretch of a clip of which there is no sound; its samples are zero.
public struct SoundGap: Hashable, Sendable {
    /// Why there is none.
    public enum Cause: String, Hashable, Codable, Sendable, CaseIterable {
        /// The device overran: the machine was too busy to take its sound.
        case overrun
        /// The session was too late to take what the microphone had.
        case droppedByNode
        /// The microphone was not open: nothing had needed it, or it had failed.
        case notOpen
        /// It is older than what is kept.
        case tooOld
        /// It had not come when it was waited for no longer.
        case notArrived
    }

    /// Frames of the clip, from 0.
    public var frames: Range<Int>
    public var cause: Cause

    public init(frames: Range<Int>, cause: Cause) {
        self.frames = frames
        self.cause = cause
    }
}
