internal import CLibAV
internal import Glibc

/// Encodes samples of 16 bits as AAC, without a gap and from the same moment on.
final class SoundTranscoder {
    /// The stream that comes out.
    let stream: MediaStream
    private let encoder: CodecContext
    private let channelCount: Int
    private let subject: String
    /// Samples that do not fill a packet yet.
    private var waiting: [UInt8] = []
    /// Samples of each channel that were encoded.
    private var position: Int64 = 0

    /// - Parameter source: A stream of ``MediaCodec/pcm16``.
    init(_ source: MediaStream, _ settings: TranscodingSettings, subject: String) throws(LibAVError) {
        guard case .audio(let sampleRate, let channelCount) = source.format, source.codec == .pcm16, channelCount > 0,
            sampleRate > 0
        else { throw LibAVError("encode", subject, cause: "its sound is \(source.codec), not pcm_s16le") }
        (self.channelCount, self.subject) = (channelCount, subject)
        encoder = try unsafe CodecContext(
            avcodec_find_encoder(AV_CODEC_ID_AAC), named: "encoder of aac", subject: subject)
        let context = unsafe encoder.pointer
        unsafe context.pointee.sample_rate = CInt(clamping: sampleRate)
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe caprig_av_set_encoder_channels(context, CInt(clamping: channelCount))
        unsafe context.pointee.time_base = AVRational(num: 1, den: CInt(clamping: sampleRate))
        unsafe context.pointee.bit_rate = Int64(settings.bitsPerSecondOfSound) * Int64(channelCount)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
        try encoder.open()
        stream = unsafe MediaStream(
            codec: .aac, format: source.format, timeBase: MediaRational(context.pointee.time_base),
            extradata: encoder.extradata, samplesPerPacket: Int(context.pointee.frame_size), metadata: source.metadata)
    }

    /// Takes a packet's samples, nil at the end, and hands on what is ready.
    ///
    /// - Parameter start: The time of the first sample, in samples; only that of the first packet counts.
    func take(
        _ samples: [UInt8]?, at start: Int64, _ body: (UnsafeMutablePointer<AVPacket>) throws(LibAVError) -> Void
    ) throws(LibAVError) {
        if position == 0, waiting.isEmpty { position = start }
        waiting += samples ?? []
        let size = stream.samplesPerPacket * 2 * channelCount
        var used = 0
        while waiting.count - used >= size, size > 0 {
            try unsafe encode(Array(waiting[used..<used + size]), body)
            used += size
        }
        waiting.removeFirst(used)
        guard samples == nil else { return }
        if waiting.count >= 2 * channelCount { try unsafe encode(waiting, body) }
        try unsafe encoder.encode(nil) { () throws(LibAVError) in try unsafe body(encoder.packet) }
    }

    private func encode(
        _ samples: [UInt8], _ body: (UnsafeMutablePointer<AVPacket>) throws(LibAVError) -> Void
    ) throws(LibAVError) {
        let count = samples.count / (2 * channelCount)
        try checked("encode", subject) {
            unsafe caprig_av_prepare_sound(encoder.frame, encoder.pointer, CInt(clamping: count))
        }
        unsafe caprig_av_split_sound(samples, CInt(count), CInt(channelCount), encoder.frame)
        unsafe encoder.frame.pointee.pts = position
        position += Int64(count)
        try unsafe encoder.encode(encoder.frame) { () throws(LibAVError) in try unsafe body(encoder.packet) }
    }
}
