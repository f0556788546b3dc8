/// What the files of a recording hold together that are finished, while further ones are to come: some of them may have left
/// the spool.
public struct RecordingTally: Hashable, Sendable {
    /// The last file that has an outcome; 0 before the first.
    public var segmentCount = 0
    public var frameCount = 0
    /// Frames that the camera numbered from the first to the last, and that are in no file.
    public var missingFrames = 0
    /// From T to the mid-exposure of the last frame, nanoseconds.
    public var durationNanoseconds: Int64 = 0

    public init() {}
}
