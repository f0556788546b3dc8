/// What a recording has become.
public struct RecordingResult: Hashable, Sendable {
    /// One file of it.
    public struct Segment: Hashable, Sendable {
        /// The stem of its files' names, to be given to ``RecordingFinisher``.
        public var stem: String
        /// Where it begins, 1/90 000 s from the recording's start.
        public var start: Int64
        public var frameCount: Int
        /// Silence that was put in where sound was missing, and sound that was left out since it came twice or too late;
        /// samples of each channel.
        public var silentSampleCount: Int64
        public var refusedSampleCount: Int64
    }

    /// Why it has ended.
    public var end: RecordingEnd
    /// Its files, in order.
    public var segments: [Segment]
    /// Frames that came after its end, and were not written.
    public var refusedFrameCount: Int
}
