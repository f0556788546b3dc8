/// When the frames of a companion clip were exposed; what a player shows can be held against it.
public struct ClipTiming: Hashable, Sendable {
    /// Mid-exposure of the first frame on the node's clock.
    public var localStart: LocalTime
    /// The same on the rig's time line, with its bound.
    public var start: BoundedRigTime
    /// From the first frame's mid-exposure to each frame's, nanoseconds of the node's clock: 0 first, then rising.
    public var frameOffsets: [Int64]
    /// Which of them is the still; from 0.
    public var stillFrame: Int
    /// How long the clip lasts, nanoseconds: to the last frame, and one frame interval.
    public var durationNanoseconds: Int64
    /// Frames of the camera between the first and the last that did not come.
    public var missingFrames: Int
    /// Where sound that was announced is missing, in order; nil where none is, or none was announced.
    public var silences: [ClipSilence]?

    public init(
        localStart: LocalTime, start: BoundedRigTime, frameOffsets: [Int64], stillFrame: Int,
        durationNanoseconds: Int64, missingFrames: Int, silences: [ClipSilence]? = nil
    ) {
        self.localStart = localStart
        self.start = start
        self.frameOffsets = frameOffsets
        self.stillFrame = stillFrame
        self.durationNanoseconds = durationNanoseconds
        self.missingFrames = missingFrames
        self.silences = silences
    }

    /// Where the still is shown, nanoseconds from the clip's start.
    public var photoDisplayNanoseconds: Int64 {
        frameOffsets.indices.contains(stillFrame) ? frameOffsets[stillFrame] : 0
    }
}
