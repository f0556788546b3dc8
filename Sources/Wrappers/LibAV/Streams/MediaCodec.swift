internal import CLibAV

/// How a stream's packets are coded; the raw value is FFmpeg's `AVCodecID`.
public struct MediaCodec: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Each packet is a JPEG.
    public static let motionJPEG = MediaCodec(AV_CODEC_ID_MJPEG)
    public static let h264 = MediaCodec(AV_CODEC_ID_H264)
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
