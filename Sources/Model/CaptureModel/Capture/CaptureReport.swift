/// What a node says of a capture it has made: the frame it chose, the files that lie durable in its spool, and those
/// that are still to come or will not.
///
/// Sent when the photo is durable, when a further file is or has failed, and in the inventory of every hello until its
/// files are released. Later reports say more, never something else.
public struct CaptureReport: Hashable, Sendable {
    public var key: CaptureKey
    public var resolved: ResolvedPhotoSettings
    public var timing: FrameTiming
    public var files: [SpooledFile]
    /// Files that are being made.
    public var owed: [AssetKind]
    /// Files that were owed and failed, each until the coordinator's manifest says so.
    public var failed: [FailedFile]
    /// The frames of its clip, once there is one.
    public var clip: ClipTiming?
    /// How long the stream was away for it; nil where the still is a frame of the stream.
    public var streamGap: StreamGap?
    /// What has become of its recording, once that has ended.
    public var movie: RecordedMovie?
    /// Of a recording in several files that goes on: what those hold that are finished. For the node itself, not on the wire.
    public var recorded: RecordingTally?

    public init(
        key: CaptureKey, resolved: ResolvedPhotoSettings, timing: FrameTiming, files: [SpooledFile],
        owed: [AssetKind] = [], failed: [FailedFile] = [], clip: ClipTiming? = nil, streamGap: StreamGap? = nil,
        movie: RecordedMovie? = nil, recorded: RecordingTally? = nil
    ) {
        self.key = key
        self.resolved = resolved
        self.timing = timing
        self.files = files
        self.owed = owed
        self.failed = failed
        self.clip = clip
        self.streamGap = streamGap
        self.movie = movie
        self.recorded = recorded
    }

    /// Whether nothing is left of it that anybody waits for.
    public var isSpent: Bool { files.isEmpty && owed.isEmpty && failed.isEmpty }

    /// Which file of a recording is being recorded or finished, the first where it is several; nil where none is.
    public var owedSegment: SegmentNumber? { owed.filter(\.isMovie).compactMap(\.segment).min() }
}
