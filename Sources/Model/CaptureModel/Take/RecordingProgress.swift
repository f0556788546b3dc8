/// A recording that a camera is making, as its node last said; after `recordedDuration` and `recordedFileSize` of
/// AVFoundation's `AVCaptureFileOutput`.
public struct RecordingProgress: Hashable, Codable, Sendable {
    public var take: ShotID
    public var frameCount: Int
    /// Bytes of pictures.
    public var byteCount: Int64
    /// From T to the newest frame, nanoseconds.
    public var durationNanoseconds: Int64
    /// Which of its files is being recorded, from 1 to ``SegmentNumber/limit``.
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
