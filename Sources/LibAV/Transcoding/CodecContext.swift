internal import CLibAV
internal import Glibc

/// Owns one encoder or decoder of the library, and the frame and packet that pass through it.
@safe final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    let frame: UnsafeMutablePointer<AVFrame>
    let packet: UnsafeMutablePointer<AVPacket>
    private let codec: UnsafePointer<AVCodec>
    private let subject: String

    /// - Parameter subject: The file that is worked on, for messages.
    init(_ codec: UnsafePointer<AVCodec>?, named name: String, subject: String) throws(LibAVError) {
        guard let codec = unsafe codec else {
            throw LibAVError("code", subject, cause: "this machine's libavcodec has no \(name)")
        }
        guard let pointer = unsafe avcodec_alloc_context3(codec) else {
            throw LibAVError(code: -ENOMEM, "code", subject)
        }
        var (frame, packet) = unsafe (av_frame_alloc(), av_packet_alloc())
        guard let madeFrame = unsafe frame, let madePacket = unsafe packet else {
            var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
            unsafe avcodec_free_context(&pointer)
            unsafe av_frame_free(&frame)
            unsafe av_packet_free(&packet)
            throw LibAVError(code: -ENOMEM, "code", subject)
        }
        unsafe (self.codec, self.pointer, self.frame, self.packet) = (codec, pointer, madeFrame, madePacket)
        self.subject = subject
    }

    deinit {
        var (pointer, frame, packet) = unsafe (
            UnsafeMutablePointer<AVCodecContext>?(pointer), UnsafeMutablePointer<AVFrame>?(frame),
            UnsafeMutablePointer<AVPacket>?(packet)
        )
        unsafe avcodec_free_context(&pointer)
        unsafe av_frame_free(&frame)
        unsafe av_packet_free(&packet)
    }

    func open(_ options: [String: String] = [:]) throws(LibAVError) {
        let texts = AVTexts(options)
        try checked("begin coding", subject) { unsafe avcodec_open2(pointer, codec, &texts.pointer) }
    }

    /// What a muxer must know of an encoder's stream.
    var extradata: [UInt8] {
        unsafe Array(
            UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)))
    }

    /// Gives an encoder a frame, nil at the end, and hands on what comes out, in ``packet``.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, _ body: () throws(LibAVError) -> Void
    ) throws(LibAVError) {
        try checked("encode", subject) { unsafe avcodec_send_frame(pointer, frame) }
        while try isGiven(unsafe avcodec_receive_packet(pointer, packet), "encode") { try body() }
    }

    /// Gives a decoder a packet, nil at the end, and hands on what comes out, in ``frame``.
    func decode(
        _ packet: UnsafeMutablePointer<AVPacket>?, _ body: () throws(LibAVError) -> Void
    ) throws(LibAVError) {
        try checked("decode", subject) { unsafe avcodec_send_packet(pointer, packet) }
        while try isGiven(unsafe avcodec_receive_frame(pointer, frame), "decode") { try body() }
    }

    /// Whether something came out; nothing more comes at the end, or before more is given.
    private func isGiven(_ status: CInt, _ operation: String) throws(LibAVError) -> Bool {
        if status == caprig_av_again() || status == caprig_av_end_of_file() { return false }
        guard status >= 0 else { throw LibAVError(code: status, operation, subject) }
        return true
    }
}
