/// What a take asks of every camera, after AVFoundation's `AVCaptureMovieFileOutput`. A recording that comes to a limit ends
/// there, as if it had been stopped.
public struct MovieSettings: Hashable, Sendable {
    /// How long the movie may become (`maxRecordedDuration`), nanoseconds; nil for no limit.
    public var maxRecordedDurationNanoseconds: Int64?
    /// How many bytes of pictures and sound it may have (`maxRecordedFileSize`); nil for no limit.
    public var maxRecordedFileSize: Int64?
    /// Bytes that stay free on the node's disk (`minFreeDiskSpaceLimit`), beside what its spool keeps free anyway.
    public var minFreeDiskSpaceLimit: Int64?
    /// How long each of its files is, nanoseconds, at least ``shortestSegmentNanoseconds``; nil for a single file.
    public var segmentDurationNanoseconds: Int64?
    /// How many bytes of pictures and sound each of its files has at most, at least ``smallestSegment``; nil for a single file.
    public var segmentFileSize: Int64?

    public init(
        maxRecordedDurationNanoseconds: Int64? = nil, maxRecordedFileSize: Int64? = nil,
        minFreeDiskSpaceLimit: Int64? = nil, segmentDurationNanoseconds: Int64? = nil, segmentFileSize: Int64? = nil
    ) {
        self.maxRecordedDurationNanoseconds = maxRecordedDurationNanoseconds
        self.maxRecordedFileSize = maxRecordedFileSize
        self.minFreeDiskSpaceLimit = minFreeDiskSpaceLimit
        self.segmentDurationNanoseconds = segmentDurationNanoseconds
        self.segmentFileSize = segmentFileSize
    }

    /// Shorter, or smaller, files would be finished no faster than they come.
    public static let shortestSegmentNanoseconds: Int64 = 1_000_000_000
    public static let smallestSegment: Int64 = 1_000_000

    /// Why its limits cannot be kept together: they make more files than a recording has. A sentence; nil where they can.
    public var problem: String? {
        let parts = [
            (maxRecordedDurationNanoseconds, segmentDurationNanoseconds, "as long as the take may become"),
            (maxRecordedFileSize, segmentFileSize, "as large as the take may become"),
        ]
        for case (let whole?, let part?, let what) in parts
        where (whole - 1) / max(part, 1) >= Int64(SegmentNumber.limit) {
            return "a take has at most \(SegmentNumber.limit) files of a camera, and \(what) it would have more"
        }
        return nil
    }
}
