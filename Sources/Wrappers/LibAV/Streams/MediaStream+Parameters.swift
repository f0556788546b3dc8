internal import CLibAV

extension MediaStream {
    /// What a demuxer has found.
    init(_ stream: UnsafePointer<AVStream>, _ parameters: UnsafePointer<AVCodecParameters>) {
        let rate = unsafe MediaRational(stream.pointee.avg_frame_rate)
        unsafe self.init(
            codec: MediaCodec(parameters), format: Self.format(parameters),
            timeBase: MediaRational(stream.pointee.time_base), averageFrameRate: rate.numerator > 0 ? rate : nil,
            extradata: Array(
                UnsafeBufferPointer(
                    start: parameters.pointee.extradata, count: Int(parameters.pointee.extradata_size))),
            samplesPerPacket: Int(parameters.pointee.frame_size), metadata: AVTexts.texts(of: stream.pointee.metadata))
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
