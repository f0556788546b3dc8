/// What a take asks of every camera, after AVFoundation's `AVCaptureMovieFileOutput`. A recording that comes to a limit ends
/// there, as if it had been stopped.
public struct MovieSettings: Hashable, Codable, Sendable {
    /// How long the movie may become (`maxRecordedDuration`), nanoseconds; nil for no limit.
    public var maxRecordedDurationNanoseconds: Int64?
    /// How many bytes of pictures and sound it may have (`maxRecordedFileSize`); nil for no limit.
    public var maxRecordedFileSize: Int64?
    /// Bytes that stay free on the node's disk (`minFreeDiskSpaceLimit`), beside what its spool keeps free anyway.
    public var minFreeDiskSpaceLimit: Int64?

    public init(
        maxRecordedDurationNanoseconds: Int64? = nil, maxRecordedFileSize: Int64? = nil,
        minFreeDiskSpaceLimit: Int64? = nil
    ) {
        self.maxRecordedDurationNanoseconds = maxRecordedDurationNanoseconds
        self.maxRecordedFileSize = maxRecordedFileSize
        self.minFreeDiskSpaceLimit = minFreeDiskSpaceLimit
    }
}
