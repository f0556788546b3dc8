/// What has become of a camera's recording, once it has ended.
public struct RecordedMovie: Hashable, Codable, Sendable {
    /// Frames in all its files; as many lines about frames have their sidecars.
    public var frameCount: Int
    /// Frames that the camera numbered between the movie's first and its last, and that are not in it.
    public var missingFrames: Int
    /// Of these, frames that the node left out because its disk did not keep up.
    public var droppedFrames: Int
    /// From T to the mid-exposure of the last frame, nanoseconds.
    public var durationNanoseconds: Int64
    /// Silence that was put in where sound was missing, nanoseconds.
    public var silenceNanoseconds: Int64
    public var end: End
    /// Why it ended before its time, where it did: the movie is whole up to there.
    public var problem: CaptureProblem?
    /// What else makes it differ from the others of the take; a sentence.
    public var note: String?
    /// How many files it was recorded into; nil where it is one.
    public var segmentCount: Int?

    /// Why a recording has ended.
    public enum End: String, Hashable, Codable, Sendable, CaseIterable {
        /// At the instant at which the take was stopped.
        case stopped
        /// It became as long, as large as the take's settings allow.
        case durationLimit, sizeLimit
        /// The node's disk had no more room.
        case diskNearlyFull
        /// The camera was interrupted or failed, or its node was ended.
        case interrupted
        /// The agent's process ended; what was on the disk was recovered at its next start.
        case agentRestarted
        /// A file could not be written.
        case failed

        /// Whether the recording is all that was asked for.
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
