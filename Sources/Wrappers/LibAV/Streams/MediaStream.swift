/// What a file says of one of its streams.
public struct MediaStream: Hashable, Sendable {
    /// What a stream carries.
    public enum Format: Hashable, Sendable {
        /// Pixels across and down.
        case video(width: Int, height: Int)
        /// Samples of a channel in a second, and channels.
        case audio(sampleRate: Int, channelCount: Int)
        /// Time codes, timed metadata, subtitles: nothing that ``MovieRemuxer`` carries over.
        case other
    }

    public var codec: MediaCodec
    public var format: Format
    /// The unit, in seconds, of this stream's times.
    public var timeBase: MediaRational
    /// Frames in a second on average, for players and for the counting of time code; nil where it is not known.
    public var averageFrameRate: MediaRational?
    /// What a decoder must know before the first packet: `avcC` of H.264, AudioSpecificConfig of AAC.
    public var extradata: [UInt8]
    /// Samples in a packet of a sound codec that has a fixed number; 0 for others.
    public var samplesPerPacket: Int
    /// The 3 × 3 matrix of a QuickTime track header, by which a viewer turns the picture; empty for none.
    public var displayMatrix: [Int32]
    /// Texts such as `handler_name` and `reel_name`.
    public var metadata: [String: String]

    public init(
        codec: MediaCodec, format: Format, timeBase: MediaRational, averageFrameRate: MediaRational? = nil,
        extradata: [UInt8] = [], samplesPerPacket: Int = 0, displayMatrix: [Int32] = [],
        metadata: [String: String] = [:]
    ) {
        self.codec = codec
        self.format = format
        self.timeBase = timeBase
        self.averageFrameRate = averageFrameRate
        self.extradata = extradata
        self.samplesPerPacket = samplesPerPacket
        self.displayMatrix = displayMatrix
        self.metadata = metadata
    }

    /// Whether it is pictures.
    public var isVideo: Bool { if case .video = format { true } else { false } }

    /// Whether it is sound.
    public var isAudio: Bool { if case .audio = format { true } else { false } }

    /// Whether it is pictures or sound.
    public var isMedia: Bool { format != .other }
}
