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
    public var problem: RigProblem?
    /// A sentence about anything else that makes it differ from the others of the take.
    public var note: String?
    /// The number of files of the recording; nil if there is one.
    public var segmentCount: Int?
    /// How far apart its first and last frame are; nil for one frame, and if frames did not come when their numbers say.
    public var pace: FramePace?

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
        silenceNanoseconds: Int64 = 0, end: End, problem: RigProblem? = nil, note: String? = nil,
        segmentCount: Int? = nil, pace: FramePace? = nil
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
        self.pace = pace
    }

    private enum CodingKeys: String, CodingKey {
        case frameCount = "frameCount"
        case missingFrames = "missingFrames"
        case droppedFrames = "droppedFrames"
        case durationNanoseconds = "durationNanoseconds"
        case silenceNanoseconds = "silenceNanoseconds"
        case end = "end"
        case problem = "problem"
        case note = "note"
        case segmentCount = "segmentCount"
        case pace = "pace"
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
