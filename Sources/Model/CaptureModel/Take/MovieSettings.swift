/// The movie settings of a take, for every camera, after AVFoundation's `AVCaptureMovieFileOutput`. A recording that
/// reaches a limit ends as if it had been stopped.
public struct MovieSettings: Hashable, Codable, Sendable {
    /// The longest duration of the movie (`maxRecordedDuration`), in nanoseconds; nil for no limit.
    public var maxRecordedDurationNanoseconds: Int64?
    /// The most bytes of pictures and sound (`maxRecordedFileSize`); nil for no limit.
    public var maxRecordedFileSize: Int64?
    /// Bytes to keep free on the node's disk (`minFreeDiskSpaceLimit`), in addition to those that its spool keeps free.
    public var minFreeDiskSpaceLimit: Int64?
    /// The duration of each file in nanoseconds, at least ``shortestSegmentNanoseconds``; nil for a single file.
    public var segmentDurationNanoseconds: Int64?
    /// The most bytes of pictures and sound in each file, at least ``smallestSegment``; nil for a single file.
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

    private enum CodingKeys: String, CodingKey {
        case maxRecordedDurationNanoseconds = "maxRecordedDurationNanoseconds"
        case maxRecordedFileSize = "maxRecordedFileSize"
        case minFreeDiskSpaceLimit = "minFreeDiskSpaceLimit"
        case segmentDurationNanoseconds = "segmentDurationNanoseconds"
        case segmentFileSize = "segmentFileSize"
    }

    /// The longest duration that may be requested, in nanoseconds: a day.
    public static let longestDuration: Int64 = 86_400_000_000_000
    /// The size of the largest file that may be requested, in bytes.
    public static let largestFile: Int64 = 1 << 40
    /// The largest disk, in bytes.
    public static let largestDisk: Int64 = 1 << 50

    /// Shorter or smaller files would be recorded faster than they can be finished.
    public static let shortestSegmentNanoseconds: Int64 = 1_000_000_000
    public static let smallestSegment: Int64 = 1_000_000
}

extension MovieSettings: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(maxRecordedDurationNanoseconds, "maxRecordedDurationNanoseconds", in: 1...Self.longestDuration)
        try check(maxRecordedFileSize, "maxRecordedFileSize", in: 1...Self.largestFile)
        try check(minFreeDiskSpaceLimit, "minFreeDiskSpaceLimit", in: 0...Self.largestDisk)
        try check(
            segmentDurationNanoseconds, "segmentDurationNanoseconds",
            in: Self.shortestSegmentNanoseconds...Self.longestDuration)
        try check(segmentFileSize, "segmentFileSize", in: Self.smallestSegment...Self.largestFile)
        if let problem { throw InvalidDocument("", problem) }
    }

    /// A sentence that says why the limits contradict each other: they allow more files than a recording has. nil if they do not.
    public var problem: String? {
        let parts = [
            (maxRecordedDurationNanoseconds, segmentDurationNanoseconds, "as long as its limit allows"),
            (maxRecordedFileSize, segmentFileSize, "as large as its limit allows"),
        ]
        for case (let whole?, let part?, let what) in parts
        where (whole - 1) / max(part, 1) >= Int64(SegmentNumber.limit) {
            return
                "a take has at most \(SegmentNumber.limit) files of a camera, and it would have more if it became \(what)"
        }
        return nil
    }
}

extension MovieSettings: ExplainsUnknownMembers {
    public static func explanation(ofUnknown member: String) -> String? {
        PhotoSettings.explanation(ofUnknown: member)
    }
}
