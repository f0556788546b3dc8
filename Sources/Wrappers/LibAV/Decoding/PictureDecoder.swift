internal import CLibAV
internal import Glibc

/// Decodes H.264 and H.265, on the calling thread alone.
///
/// Owns the library's decoder. Not `Sendable`: use from one thread. The bytes are untrusted. After ``reset()`` the first pictures are those
/// that can be decoded without what came before.
@safe public final class PictureDecoder {
    /// A picture of 8 bits, 4:2:0.
    public struct Decoded: Sendable {
        /// That of the bytes of which it was decoded.
        public var number: Int64
        public var width: Int
        public var height: Int
        /// Whether luma is from 0 to 255, not from 16 to 235.
        public var isFullRange: Bool
        /// Whether something of it, or of the pictures that it builds on, was missing or could not be read.
        public var isDamaged: Bool
        /// Luma of `width` × `height`, then Cb and Cr of half as many columns and rows, rounded up, without padding.
        public var bytes: [UInt8]
    }

    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let subject: String
    private var buffer: [UInt8] = []

    /// The most pixels of a picture: twice those of 8K.
    private static let mostPixels: Int64 = 1 << 26

    /// - Parameters:
    ///   - stream: Its codec, and what the stream says of it at its beginning.
    ///   - subject: The stream in messages.
    /// - Throws: ``LibAVError`` if the library cannot decode it.
    public init(_ stream: MediaStream, subject: String) throws(LibAVError) {
        caprig_av_keep_messages()
        self.subject = subject
        let codec = unsafe avcodec_find_decoder(stream.codec.identifier)
        guard let codec = unsafe codec else {
            throw LibAVError("decode", subject, cause: "the library has no decoder of \(stream.codec)")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var packet = unsafe av_packet_alloc()
        var frame = unsafe av_frame_alloc()
        var status = -ENOMEM
        if let context = unsafe context, unsafe packet != nil, unsafe frame != nil {
            status = unsafe Self.configure(context, stream)
            caprig_av_forget_message()
            if status >= 0 { status = unsafe avcodec_open2(context, codec, nil) }
        }
        guard status >= 0, let opened = unsafe context, let itsPacket = unsafe packet, let itsFrame = unsafe frame
        else {
            let error = LibAVError(code: status, "decode", subject, hiding: [])
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
            unsafe av_frame_free(&frame)
            throw error
        }
        unsafe self.context = opened
        unsafe self.packet = itsPacket
        unsafe self.frame = itsFrame
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        // The bytes are this object's.
        unsafe packet?.pointee.data = nil
        unsafe av_packet_free(&packet)
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
    }

    private static func configure(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ stream: MediaStream
    ) -> CInt {
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.max_pixels = mostPixels
        // Pictures before the first complete one are not given out.
        unsafe context.pointee.flags &= ~AV_CODEC_FLAG_OUTPUT_CORRUPT
        let count = stream.extradata.count
        guard count > 0 else { return 0 }
        guard let copy = unsafe av_mallocz(count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return -ENOMEM }
        unsafe copy.copyMemory(from: stream.extradata, byteCount: count)
        // The context frees it.
        unsafe context.pointee.extradata = unsafe copy.assumingMemoryBound(to: UInt8.self)
        unsafe context.pointee.extradata_size = CInt(clamping: count)
        return 0
    }

    /// Decodes the bytes of one picture.
    /// - Parameter number: Given to its picture.
    /// - Returns: The pictures that are complete, in the order in which they are shown.
    /// - Throws: ``LibAVError`` if the bytes are not a picture, or one that is not of 8 bits and 4:2:0.
    public func decode(_ bytes: [UInt8], number: Int64) throws(LibAVError) -> [Decoded] {
        // Readers rely on zeros after the end.
        buffer.removeAll(keepingCapacity: true)
        buffer += bytes
        buffer.append(contentsOf: repeatElement(0, count: Int(AV_INPUT_BUFFER_PADDING_SIZE)))
        caprig_av_forget_message()
        let status = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            unsafe packet.pointee.data = buffer.baseAddress
            unsafe packet.pointee.size = CInt(clamping: bytes.count)
            unsafe packet.pointee.pts = number
            unsafe packet.pointee.dts = number
            defer { unsafe packet.pointee.data = nil }
            return unsafe avcodec_send_packet(context, packet)
        }
        guard status >= 0 else { throw LibAVError(code: status, "decode", subject, hiding: []) }
        var pictures: [Decoded] = []
        while unsafe avcodec_receive_frame(context, frame) >= 0 { pictures.append(try picture()) }
        return pictures
    }

    /// Forgets everything that was decoded, so that what comes next builds on nothing that is missing.
    public func reset() { unsafe avcodec_flush_buffers(context) }

    private func picture() throws(LibAVError) -> Decoded {
        let (width, height) = unsafe (Int(frame.pointee.width), Int(frame.pointee.height))
        let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
        guard format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P, width > 0, height > 0 else {
            throw LibAVError(
                "decode", subject, cause: "its pictures are not of 8 bits and 4:2:0; change that in the camera")
        }
        let isFullRange = unsafe frame.pointee.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P
        let flags = unsafe frame.pointee.flags & AV_FRAME_FLAG_CORRUPT | frame.pointee.decode_error_flags
        var bytes: [UInt8] = []
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        bytes.reserveCapacity(width * height + 2 * columns * rows)
        unsafe append(frame.pointee.data.0, frame.pointee.linesize.0, width, height, to: &bytes)
        unsafe append(frame.pointee.data.1, frame.pointee.linesize.1, columns, rows, to: &bytes)
        unsafe append(frame.pointee.data.2, frame.pointee.linesize.2, columns, rows, to: &bytes)
        return unsafe Decoded(
            number: frame.pointee.pts, width: width, height: height, isFullRange: isFullRange, isDamaged: flags != 0,
            bytes: bytes)
    }

    private func append(
        _ plane: UnsafeMutablePointer<UInt8>?, _ stride: CInt, _ columns: Int, _ rows: Int, to bytes: inout [UInt8]
    ) {
        guard let plane = unsafe plane else { return }
        for row in 0..<rows {
            unsafe bytes.append(
                contentsOf: UnsafeBufferPointer(start: plane + row * Int(stride), count: columns))
        }
    }
}
