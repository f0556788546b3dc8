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

extension CaptureReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case key, resolved, timing, files, owed, failed, clip, streamGap, movie, recorded
    }

    /// Lists that are empty may be absent.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            key: try values.decode(CaptureKey.self, forKey: .key),
            resolved: try values.decode(ResolvedPhotoSettings.self, forKey: .resolved),
            timing: try values.decode(FrameTiming.self, forKey: .timing),
            files: try values.decode([SpooledFile].self, forKey: .files),
            owed: try values.decodeIfPresent([AssetKind].self, forKey: .owed) ?? [],
            failed: try values.decodeIfPresent([FailedFile].self, forKey: .failed) ?? [],
            clip: try values.decodeIfPresent(ClipTiming.self, forKey: .clip),
            streamGap: try values.decodeIfPresent(StreamGap.self, forKey: .streamGap),
            movie: try values.decodeIfPresent(RecordedMovie.self, forKey: .movie),
            recorded: try values.decodeIfPresent(RecordingTally.self, forKey: .recorded))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .key)
        try values.encode(resolved, forKey: .resolved)
        try values.encode(timing, forKey: .timing)
        try values.encode(files, forKey: .files)
        if !owed.isEmpty { try values.encode(owed, forKey: .owed) }
        if !failed.isEmpty { try values.encode(failed, forKey: .failed) }
        try values.encodeIfPresent(clip, forKey: .clip)
        try values.encodeIfPresent(streamGap, forKey: .streamGap)
        try values.encodeIfPresent(movie, forKey: .movie)
        try values.encodeIfPresent(recorded, forKey: .recorded)
    }
}
