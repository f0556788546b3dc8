/// The result of a camera's recording, once it has ended.
public struct RecordedMovie: Hashable, Codable, Sendable {
    /// Frames in all its files. The sidecars have as many lines about frames.
    public var frameCount: Int
    /// Frames that the camera numbered between the movie's first and last frame, and that are not in the movie.
    public var missingFrames: Int
    /// The part of `missingFrames` that the node left out because its disk did not keep up.
    public var droppedFrames: Int
    /// From T to the mid-exposure of the last frame, nanoseconds.
    public var durationNanoseconds: Int64
    /// Silence inserted where sound was missing, in nanoseconds.
    public var silenceNanoseconds: Int64
    public var end: End
    /// Why it ended early, if it did. The movie is complete up to that point.
    public var problem: CaptureProblem?
    /// A sentence about anything else that makes it differ from the others of the take.
    public var note: String?
    /// The number of files of the recording; nil if there is one.
    public var segmentCount: Int?

    /// Why a recording has ended.
    public enum End: String, Hashable, Codable, Sendable, CaseIterable {
        /// At the instant at which the take was stopped.
        case stopped
        /// At the duration or size limit of the take's settings.
        case durationLimit, sizeLimit
        /// The node's disk was nearly full.
        case diskNearlyFull
        /// The camera was interrupted or failed, or its agent ended.
        case interrupted
        /// The agent's process ended. What was on the disk was recovered at its next start.
        case agentRestarted
        /// A file could not be written.
        case failed

        /// Whether the recording is as long as was requested.
        public var isOrderly: Bool { self == .stopped || self == .durationLimit || self == .sizeLimit }
    }

    public init(
        frameCount: Int, missingFrames: Int = 0, droppedFrames: Int = 0, durationNanoseconds: Int64,
        silenceNanoseconds: Int64 = 0, end: End, problem: CaptureProblem? = nil, note: String? = nil,
        segmentCount: Int? = nil
    ) {
        self.frameCount = frameCount
        self.missingFrames = missingFrames
        self.droppedFrames = droppedFrames
        self.durationNanoseconds = durationNanoseconds
        self.silenceNanoseconds = silenceNanoseconds
        self.end = end
        self.problem = problem
        self.note = note
        self.segmentCount = segmentCount
    }
}

extension Capture {
    /// The time from frame to frame of the movie: that of the camera's format, unless its frames arrived more slowly, as
    /// those of automatic exposure in dim light; nil without a movie.
    public var movieInterval: Duration? {
        guard let movie, let format = resolved?.streamFormat else { return nil }
        let (frames, isTooMany) = movie.frameCount.addingReportingOverflow(movie.missingFrames)
        guard !isTooMany, frames > 2 else { return format.frameInterval }
        let first = min(max(timing?.skewNanoseconds ?? 0, 0), movie.durationNanoseconds)
        let measured = Duration.nanoseconds((movie.durationNanoseconds - first) / Int64(frames - 1))
        return format.isSlower(measured) ? measured : format.frameInterval
    }
}

/// The movie settings of a take, for every camera, after AVFoundation's `AVCaptureMovieFileOutput`. A recording that
/// reaches a limit ends as if it had been stopped.
public struct MovieSettings: Hashable, Sendable {
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

    /// Shorter or smaller files would be recorded faster than they can be finished.
    public static let shortestSegmentNanoseconds: Int64 = 1_000_000_000
    public static let smallestSegment: Int64 = 1_000_000

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
public struct RecordingTally: Hashable, Sendable {
    /// The number of the last file that has an outcome; 0 before the first.
    public var segmentCount = 0
    public var frameCount = 0
    /// Frames that the camera numbered between the first and the last, and that are in no file.
    public var missingFrames = 0
    /// From T to the mid-exposure of the last frame, nanoseconds.
    public var durationNanoseconds: Int64 = 0

    public init() {}
}

/// A camera's movie of a take, as announced before T.
public struct ResolvedMovie: Hashable, Sendable {
    /// Whether it has sound.
    public var hasSound: Bool
    /// A sentence that says why it has none; nil if it has sound.
    public var note: String?

    public init(hasSound: Bool, note: String? = nil) {
        self.hasSound = hasSound
        self.note = note
    }
}
