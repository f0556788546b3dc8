internal import CLibAV
internal import Glibc
public import PosixSupport

/// Writes pictures and sound, coded already, into a QuickTime or MP4 file.
///
/// Owns the library's muxer; the file stays its opener's, who makes it durable. Not `Sendable`: use from one thread.
/// Calls block on the disk. A muxer that goes away before ``finish()`` leaves a file that only the fragments written so far
/// can be read of.
@safe public final class MovieMuxer {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let output: FileStream
    private let file: OpenFile
    private let streams: [MediaStream]
    private let isFragmented: Bool
    private var isFinished = false

    /// Writes what stands before the first packet.
    ///
    /// - Parameters:
    ///   - file: Open for writing and empty.
    ///   - streams: Pictures and sound; packets name them by index.
    ///   - options: Layout and texts.
    /// - Throws: ``LibAVError``: the container does not take a stream, or the disk failed.
    public init(to file: OpenFile, streams: [MediaStream], options: MovieOptions) throws(LibAVError) {
        caprig_av_keep_messages()
        (self.file, self.streams, isFragmented) = (file, streams, options.isFragmented)
        output = try FileStream(file, isWriting: true)
        guard let packet = unsafe av_packet_alloc() else { throw LibAVError(code: -ENOMEM, "open", file.path) }
        unsafe self.packet = packet
        var made: UnsafeMutablePointer<AVFormatContext>?
        let status = unsafe avformat_alloc_output_context2(&made, nil, options.container.rawValue, nil)
        guard status >= 0, let context = unsafe made else {
            var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
            unsafe av_packet_free(&packet)
            throw LibAVError(code: status, "open", file.path)
        }
        unsafe self.context = context
        try begin(options)
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        // The file is not the library's to close.
        unsafe context.pointee.pb = nil
        unsafe avformat_free_context(context)
    }

    /// Writes a packet. Packets of a stream come in rising order of their decoding times; those of several streams about
    /// in the order in which they are shown, so that a player need not jump.
    ///
    /// - Throws: ``LibAVError``; the movie cannot be gone on with then, only what was flushed before is of use.
    public func write(_ packet: MediaPacket) throws(LibAVError) {
        guard streams.indices.contains(packet.stream) else {
            throw LibAVError("write a packet to", file.path, cause: "there is no stream \(packet.stream)")
        }
        var bytes = packet.bytes
        try unsafe bytes.withUnsafeMutableBufferPointer { (buffer) throws(LibAVError) in
            unsafe av_packet_unref(self.packet)
            // Not the library's memory: it copies what it keeps.
            unsafe self.packet.pointee.data = buffer.baseAddress
            unsafe self.packet.pointee.size = CInt(clamping: buffer.count)
            unsafe self.packet.pointee.pts = packet.presentationTime
            unsafe self.packet.pointee.dts = packet.decodeTime
            unsafe self.packet.pointee.duration = packet.duration
            unsafe self.packet.pointee.flags = packet.isKey ? AV_PKT_FLAG_KEY : 0
            try unsafe send(self.packet, to: packet.stream, timeBase: streams[packet.stream].timeBase)
        }
    }

    /// Ends the fragment of a fragmented movie, and hands all that was written to the file.
    public func flush() throws(LibAVError) {
        if isFragmented {
            try call("write a fragment of") { unsafe av_write_frame(context, nil) }
            // Else the next fragment would begin where the last packet's duration ends, not at its own packet's time.
            unsafe av_opt_set(context.pointee.priv_data, "movflags", "+frag_discont", 0)
        }
        try output.flush()
    }

    /// Writes the index of a plain movie, or the last fragment, and hands everything to the file; once.
    public func finish() throws(LibAVError) {
        guard !isFinished else { return }
        isFinished = true
        try call("finish") { unsafe av_write_trailer(context) }
        try output.flush()
    }

    /// Writes a packet whose times count in `timeBase`; its bytes may belong to anyone.
    func send(
        _ packet: UnsafeMutablePointer<AVPacket>, to stream: Int, timeBase: MediaRational
    ) throws(LibAVError) {
        guard let target = unsafe context.pointee.streams[stream] else { return }
        unsafe packet.pointee.stream_index = CInt(stream)
        // The container may have chosen another unit than it was asked for.
        unsafe av_packet_rescale_ts(packet, timeBase.value, target.pointee.time_base)
        try call("write a packet to") { unsafe av_write_frame(context, packet) }
    }

    private func begin(_ options: MovieOptions) throws(LibAVError) {
        unsafe context.pointee.pb = output.context
        // Without the library's own name, and the same bytes for the same packets.
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        unsafe context.pointee.metadata = AVTexts(options.texts).release()
        for stream in streams { try add(stream) }
        let formatOptions = AVTexts(options.formatOptions)
        try call("begin") { unsafe avformat_write_header(context, &formatOptions.pointer) }
    }

    private func add(_ stream: MediaStream) throws(LibAVError) {
        guard let made = unsafe avformat_new_stream(context, nil) else {
            throw LibAVError(code: -ENOMEM, "add a stream to", file.path)
        }
        unsafe made.pointee.time_base = stream.timeBase.value
        unsafe made.pointee.metadata = AVTexts(stream.metadata).release()
        if let rate = stream.averageFrameRate { unsafe made.pointee.avg_frame_rate = rate.value }
        guard let parameters = unsafe made.pointee.codecpar else { return }
        try call("describe a stream of") { unsafe stream.describe(parameters) }
        if stream.displayMatrix.count == 9 { try unsafe turn(made, by: stream.displayMatrix) }
    }

    private func turn(_ stream: UnsafeMutablePointer<AVStream>, by matrix: [Int32]) throws(LibAVError) {
        let size = matrix.count * MemoryLayout<Int32>.size
        guard let data = unsafe av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, size) else {
            throw LibAVError(code: -ENOMEM, "turn the picture of", file.path)
        }
        unsafe matrix.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: data, count: size).copyMemory(from: $0)
        }
    }

    /// Calls the library; a failure of the file says more than the library's number.
    private func call(_ operation: String, _ body: () -> CInt) throws(LibAVError) {
        caprig_av_forget_message()
        let status = body()
        guard status >= 0, output.failure == nil else {
            throw LibAVError(code: status, operation, file.path, file: output.failure)
        }
    }
}
