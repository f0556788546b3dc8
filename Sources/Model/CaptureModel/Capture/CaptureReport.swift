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

/// `capture` of a `capture.json`, and a report in a message.
extension CaptureReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case key = "key"
        case resolved = "resolved"
        case timing = "timing"
        case files = "files"
        /// Absent if empty.
        case owed = "owed"
        /// Absent if empty.
        case failed = "failed"
        case clip = "clip"
        case streamGap = "streamGap"
        case movie = "movie"
        case recorded = "recorded"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            key: try container.decode(CaptureKey.self, forKey: .key),
            resolved: try container.decode(ResolvedPhotoSettings.self, forKey: .resolved),
            timing: try container.decode(FrameTiming.self, forKey: .timing),
            files: try container.decode([SpooledFile].self, forKey: .files),
            owed: try container.decodeIfPresent([AssetKind].self, forKey: .owed) ?? [],
            failed: try container.decodeIfPresent([FailedFile].self, forKey: .failed) ?? [],
            clip: try container.decodeIfPresent(ClipTiming.self, forKey: .clip),
            streamGap: try container.decodeIfPresent(StreamGap.self, forKey: .streamGap),
            movie: try container.decodeIfPresent(RecordedMovie.self, forKey: .movie),
            recorded: try container.decodeIfPresent(RecordingTally.self, forKey: .recorded))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(resolved, forKey: .resolved)
        try container.encode(timing, forKey: .timing)
        try container.encode(files, forKey: .files)
        if !owed.isEmpty { try container.encode(owed, forKey: .owed) }
        if !failed.isEmpty { try container.encode(failed, forKey: .failed) }
        try container.encodeIfPresent(clip, forKey: .clip)
        try container.encodeIfPresent(streamGap, forKey: .streamGap)
        try container.encodeIfPresent(movie, forKey: .movie)
        try container.encodeIfPresent(recorded, forKey: .recorded)
    }
}
