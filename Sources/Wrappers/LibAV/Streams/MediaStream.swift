internal import CLibAV

/// The description of one stream of a file.
public struct MediaStream: Hashable, Sendable {
    /// The content of a stream.
    public enum Format: Hashable, Sendable {
        /// Width and height in pixels.
        case video(width: Int, height: Int)
        /// Samples per second of a channel, and number of channels.
        case audio(sampleRate: Int, channelCount: Int)
        /// Time codes, timed metadata, subtitles. ``MovieRemuxer`` does not copy them.
        case other
    }

    public var codec: MediaCodec
    public var format: Format
    /// The unit of this stream's times, in seconds.
    public var timeBase: MediaRational
    /// Average frames per second, for players and for counting time code; nil if it is not known.
    public var averageFrameRate: MediaRational?
    /// The decoder's configuration: `avcC` of H.264, AudioSpecificConfig of AAC.
    public var extradata: [UInt8]
    /// Samples per packet of a sound codec with a fixed number; 0 for others.
    public var samplesPerPacket: Int
    /// The 3 × 3 matrix of a QuickTime track header, by which a viewer rotates the picture; empty for none.
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

    /// Whether the stream carries pictures.
    public var isVideo: Bool { if case .video = format { true } else { false } }

    /// Whether the stream carries sound.
    public var isAudio: Bool { if case .audio = format { true } else { false } }

    /// Whether the stream carries pictures or sound.
    public var isMedia: Bool { format != .other }
}

/// Options or texts in the library's form. This object frees them.
@safe final class AVStrings {
    var pointer: OpaquePointer?

    init(_ texts: [String: String] = [:]) {
        // In the order of the keys, so that a file is the same each time it is written.
        for (key, value) in texts.sorted(by: { $0.key < $1.key }) { unsafe av_dict_set(&pointer, key, value, 0) }
    }

    deinit { unsafe av_dict_free(&pointer) }

    /// Passes the texts to a struct of the library, which frees them.
    func release() -> OpaquePointer? {
        defer { unsafe pointer = nil }
        return unsafe pointer
    }

    /// Returns the texts of a struct of the library.
    static func texts(of dictionary: OpaquePointer?) -> [String: String] {
        var texts: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            texts[unsafe String(cString: next.pointee.key)] = unsafe String(cString: next.pointee.value)
            unsafe entry = unsafe next
        }
        return texts
    }
}

/// The codec of a stream's packets. The raw value is FFmpeg's `AVCodecID`.
public struct MediaCodec: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Each packet is a JPEG.
    public static let motionJPEG = MediaCodec(AV_CODEC_ID_MJPEG)
    public static let h264 = MediaCodec(AV_CODEC_ID_H264)
    public static let h265 = MediaCodec(AV_CODEC_ID_HEVC)
    /// Signed samples of 16 bits, little-endian, channels interleaved.
    public static let pcm16 = MediaCodec(AV_CODEC_ID_PCM_S16LE)
    public static let aac = MediaCodec(AV_CODEC_ID_AAC)

    private init(_ identifier: AVCodecID) {
        rawValue = identifier.rawValue
    }

    init(_ parameters: UnsafePointer<AVCodecParameters>) {
        self.init(unsafe parameters.pointee.codec_id)
    }

    var identifier: AVCodecID { AVCodecID(rawValue: rawValue) }

    /// FFmpeg's name, such as `mjpeg`.
    public var description: String {
        unsafe String(cString: avcodec_get_name(identifier))
    }
}

/// One frame, or some samples, as stored.
public struct MediaPacket: Hashable, Sendable {
    /// Index of the stream.
    public var stream: Int
    /// Presentation time, in units of the stream.
    public var presentationTime: Int64
    /// Decoding time: rises from packet to packet of a stream. Equal to ``presentationTime`` without B-frames.
    public var decodeTime: Int64
    /// Duration in units of the stream; 0 if the next packet determines it.
    public var duration: Int64
    /// Whether the packet can be decoded alone.
    public var isKey: Bool
    public var bytes: [UInt8]

    public init(
        stream: Int, presentationTime: Int64, decodeTime: Int64? = nil, duration: Int64 = 0, isKey: Bool = true,
        bytes: [UInt8]
    ) {
        self.stream = stream
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime ?? presentationTime
        self.duration = duration
        self.isKey = isKey
        self.bytes = bytes
    }
}

/// A fraction: a unit of time in seconds, or frames per second.
public struct MediaRational: Hashable, Sendable {
    public let numerator: Int32
    /// Not 0.
    public let denominator: Int32

    /// Creates a fraction. A denominator of 0 becomes 1, so that nothing divides by it.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator == 0 ? 1 : denominator
    }

    /// Returns the number of these units nearest to a time in other units.
    public func units(_ time: Int64, of other: MediaRational) -> Int64 {
        av_rescale_q(time, other.value, value)
    }

    /// Returns a time in these units, to the nanosecond.
    public func duration(_ time: Int64) -> Duration {
        .nanoseconds(av_rescale_q(time, value, AVRational(num: 1, den: 1_000_000_000)))
    }

    init(_ value: AVRational) {
        self.init(value.num, value.den)
    }

    var value: AVRational { AVRational(num: numerator, den: denominator) }
}

extension MediaStream {
    /// Creates the description of a stream that a demuxer found.
    init(_ stream: UnsafePointer<AVStream>, _ parameters: UnsafePointer<AVCodecParameters>) {
        let rate = unsafe MediaRational(stream.pointee.avg_frame_rate)
        unsafe self.init(
            codec: MediaCodec(parameters), format: Self.format(parameters),
            timeBase: MediaRational(stream.pointee.time_base), averageFrameRate: rate.numerator > 0 ? rate : nil,
            extradata: Array(
                UnsafeBufferPointer(
                    start: parameters.pointee.extradata, count: Int(parameters.pointee.extradata_size))),
            samplesPerPacket: Int(parameters.pointee.frame_size), metadata: AVStrings.texts(of: stream.pointee.metadata)
        )
    }

    private static func format(_ parameters: UnsafePointer<AVCodecParameters>) -> Format {
        let parameters = unsafe parameters.pointee
        return switch unsafe parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO: unsafe .video(width: Int(parameters.width), height: Int(parameters.height))
        case AVMEDIA_TYPE_AUDIO:
            unsafe .audio(
                sampleRate: Int(parameters.sample_rate), channelCount: Int(parameters.ch_layout.nb_channels))
        default: .other
        }
    }

    /// Describes the stream to a muxer.
    func describe(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> CInt {
        unsafe parameters.pointee.codec_id = codec.identifier
        switch format {
        case .video(let width, let height):
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            unsafe parameters.pointee.width = CInt(clamping: width)
            unsafe parameters.pointee.height = CInt(clamping: height)
        case .audio(let sampleRate, let channelCount):
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
            unsafe parameters.pointee.sample_rate = CInt(clamping: sampleRate)
            unsafe caprig_av_set_channels(parameters, CInt(clamping: channelCount))
            if codec == .pcm16 { unsafe describeSamples(parameters) }
        case .other: return caprig_av_invalid_data()
        }
        unsafe parameters.pointee.frame_size = CInt(clamping: samplesPerPacket)
        guard !extradata.isEmpty else { return 0 }
        return unsafe caprig_av_set_extradata(parameters, extradata, CInt(clamping: extradata.count))
    }

    private func describeSamples(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        unsafe parameters.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        unsafe parameters.pointee.bits_per_coded_sample = 16
        unsafe parameters.pointee.block_align = 2 * parameters.pointee.ch_layout.nb_channels
    }
}
