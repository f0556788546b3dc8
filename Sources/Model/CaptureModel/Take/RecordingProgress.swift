/// A recording in progress, as its node last reported it; after `recordedDuration` and `recordedFileSize` of
/// AVFoundation's `AVCaptureFileOutput`.
public struct RecordingProgress: Hashable, Codable, Sendable {
    public var take: ShotID
    public var frameCount: Int
    /// Bytes of pictures.
    public var byteCount: Int64
    /// From T to the newest frame, in nanoseconds.
    public var durationNanoseconds: Int64
    /// The file that is being recorded, from 1 to ``SegmentNumber/limit``.
    public var segmentNumber: Int

    public init(
        take: ShotID, frameCount: Int = 0, byteCount: Int64 = 0, durationNanoseconds: Int64 = 0, segmentNumber: Int = 1
    ) {
        self.take = take
        self.frameCount = frameCount
        self.byteCount = byteCount
        self.durationNanoseconds = durationNanoseconds
        self.segmentNumber = segmentNumber
    }
}

/// The totals of the finished files of a recording, while further files are outstanding. Some of the finished files may
/// have left the spool.
public struct RecordingTally: Hashable, Codable, Sendable {
    /// The number of the last file that has an outcome; 0 before the first.
    public var segmentCount = 0
    public var frameCount = 0
    /// Frames that the camera numbered between the first and the last, and that are in no file.
    public var missingFrames = 0
    /// From T to the mid-exposure of the last frame, nanoseconds.
    public var durationNanoseconds: Int64 = 0
    /// All frames so far; nil before the first, and since a frame did not come when its number says.
    public var train: FrameTrain?

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case segmentCount = "segmentCount"
        case frameCount = "frameCount"
        case missingFrames = "missingFrames"
        case durationNanoseconds = "durationNanoseconds"
        case train = "train"
    }
}
