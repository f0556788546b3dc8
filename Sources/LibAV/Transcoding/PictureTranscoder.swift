internal import CLibAV
internal import Glibc

/// Decodes the pictures of a stream and encodes them as H.264 of 4:2:0 and limited range, which every player shows. Each
/// keeps its time; there are no B-frames.
@safe final class PictureTranscoder {
    /// The stream that comes out.
    let stream: MediaStream
    private let decoder: CodecContext
    private let encoder: CodecContext
    private let target: UnsafeMutablePointer<AVFrame>
    private var converter: OpaquePointer?
    /// The layout of pixels that ``converter`` reads.
    private var sourcePixels = AV_PIX_FMT_NONE
    private let subject: String
    private let size: (width: CInt, height: CInt)
    /// How long each picture that is in the encoder is shown, by its time; as many as the encoder looks ahead.
    private var durations: [Int64: Int64] = [:]

    /// - Parameter source: A stream of pictures.
    init(_ source: MediaStream, _ settings: TranscodingSettings, subject: String) throws(LibAVError) {
        guard case .video(let width, let height) = source.format, width >= 2, height >= 2 else {
            throw LibAVError("encode", subject, cause: "it has no pictures of a known size")
        }
        self.subject = subject
        // 4:2:0 has no odd sides; a last column or row goes.
        size = (CInt(clamping: width) & ~1, CInt(clamping: height) & ~1)
        decoder = try Self.decoder(source, subject)
        encoder = try Self.encoder(source, settings, size, subject)
        stream = MediaStream(
            codec: .h264, format: .video(width: Int(size.width), height: Int(size.height)), timeBase: source.timeBase,
            averageFrameRate: source.averageFrameRate, extradata: encoder.extradata,
            displayMatrix: source.displayMatrix, metadata: source.metadata)
        guard let frame = unsafe av_frame_alloc() else { throw LibAVError(code: -ENOMEM, "encode", subject) }
        unsafe target = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe target
        unsafe av_frame_free(&frame)
        unsafe sws_freeContext(converter)
    }

    /// Takes a packet of the source, nil at its end, and hands on what is ready.
    func take(
        _ packet: UnsafeMutablePointer<AVPacket>?,
        _ body: (UnsafeMutablePointer<AVPacket>) throws(LibAVError) -> Void
    ) throws(LibAVError) {
        if let packet = unsafe packet { unsafe durations[packet.pointee.pts] = packet.pointee.duration }
        try unsafe decoder.decode(packet) { () throws(LibAVError) in
            try unsafe convert(decoder.frame)
            try unsafe encode(target, body)
        }
        if unsafe packet == nil { try unsafe encode(nil, body) }
    }

    private func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?,
        _ body: (UnsafeMutablePointer<AVPacket>) throws(LibAVError) -> Void
    ) throws(LibAVError) {
        try unsafe encoder.encode(frame) { () throws(LibAVError) in
            unsafe encoder.packet.pointee.duration = durations.removeValue(forKey: encoder.packet.pointee.pts) ?? 0
            try unsafe body(encoder.packet)
        }
    }

    private func convert(_ source: UnsafeMutablePointer<AVFrame>) throws(LibAVError) {
        guard unsafe source.pointee.width >= size.width, unsafe source.pointee.height >= size.height else {
            throw LibAVError("encode", subject, cause: "a picture is smaller than the others")
        }
        // The frames of one camera agree in this; a file that was made to do harm need not.
        let pixels = unsafe AVPixelFormat(source.pointee.format)
        if pixels != sourcePixels {
            unsafe sws_freeContext(converter)
            unsafe converter = caprig_av_make_converter(size.width, size.height, pixels, AV_PIX_FMT_YUV420P)
            sourcePixels = pixels
        }
        guard let converter = unsafe converter else {
            throw LibAVError("encode", subject, cause: "its pixels cannot be converted")
        }
        unsafe av_frame_unref(target)
        unsafe target.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        unsafe (target.pointee.width, target.pointee.height) = size
        unsafe target.pointee.pts = source.pointee.pts
        try checked("convert a picture of", subject) { unsafe caprig_av_convert(converter, source, target) }
    }

    private static func decoder(_ source: MediaStream, _ subject: String) throws(LibAVError) -> CodecContext {
        let decoder = try unsafe CodecContext(
            avcodec_find_decoder(source.codec.identifier), named: "decoder of \(source.codec)", subject: subject)
        guard let parameters = unsafe avcodec_parameters_alloc() else {
            throw LibAVError(code: -ENOMEM, "decode", subject)
        }
        defer {
            var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
            unsafe avcodec_parameters_free(&freed)
        }
        try checked("decode", subject) { unsafe source.describe(parameters) }
        try checked("decode", subject) { unsafe avcodec_parameters_to_context(decoder.pointer, parameters) }
        unsafe decoder.pointer.pointee.pkt_timebase = source.timeBase.value
        // Several threads would keep as many pictures back.
        unsafe decoder.pointer.pointee.thread_count = 1
        try decoder.open()
        return decoder
    }

    private static func encoder(
        _ source: MediaStream, _ settings: TranscodingSettings, _ size: (width: CInt, height: CInt), _ subject: String
    ) throws(LibAVError) -> CodecContext {
        let encoder = try unsafe CodecContext(
            avcodec_find_encoder_by_name("libx264"), named: "encoder libx264", subject: subject)
        let context = unsafe encoder.pointer
        unsafe (context.pointee.width, context.pointee.height) = size
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        unsafe context.pointee.time_base = source.timeBase.value
        if let rate = source.averageFrameRate { unsafe context.pointee.framerate = rate.value }
        unsafe context.pointee.max_b_frames = 0
        unsafe context.pointee.gop_size = 30
        unsafe context.pointee.thread_count = CInt(clamping: settings.threadCount)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        // JPEG's colours: primaries of BT.709, curve of sRGB, matrix of BT.601.
        unsafe context.pointee.color_range = AVCOL_RANGE_MPEG
        unsafe context.pointee.color_primaries = AVCOL_PRI_BT709
        unsafe context.pointee.color_trc = AVCOL_TRC_IEC61966_2_1
        unsafe context.pointee.colorspace = AVCOL_SPC_SMPTE170M
        try encoder.open(["preset": settings.preset.rawValue, "crf": String(settings.rateFactor)])
        return encoder
    }
}
