/// A node's report of a capture that it has made: the frame that it chose, the files that are durable in its spool, and
/// those that are outstanding or failed.
///
/// Sent when the photo is durable, when a further file is durable or has failed, and in the inventory of every hello
/// until its files are released. Later reports add to earlier ones and never contradict them.
public struct CaptureReport: Hashable, Sendable {
    public var key: CaptureKey
    public var resolved: ResolvedPhotoSettings
    public var timing: FrameTiming
    public var files: [SpooledFile]
    /// Files that are being made.
    public var owed: [AssetKind]
    /// Files that were owed and failed. Each is listed until the coordinator's manifest records it.
    public var failed: [FailedFile]
    /// The frames of its clip, once there is a clip.
    public var clip: ClipTiming?
    /// How long the stream was interrupted for it; nil if the still is a frame of the stream.
    public var streamGap: StreamGap?
    /// The result of its recording, once it has ended.
    public var movie: RecordedMovie?
    /// The totals of the finished files, if the recording has several files and continues. For the node itself, not on the wire.
    public var recorded: RecordingTally?
    /// What the coordinator does not believe of it. For the coordinator itself, not on the wire.
    public var doubts: [DoubtedClaim] = []

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

    /// Whether nothing of it is outstanding.
    public var isSpent: Bool { files.isEmpty && owed.isEmpty && failed.isEmpty }

    /// The first file of a recording that is being recorded or finished; nil if there is none.
    public var owedSegment: SegmentNumber? { owed.filter(\.isMovie).compactMap(\.segment).min() }
}
