internal import CLibAV
internal import Glibc
public import PosixSupport

/// Writes pictures and sound that are already coded into a QuickTime or MP4 file.
///
/// Owns the library's muxer. The file belongs to the caller that opened it, which makes it durable. Not `Sendable`: use from one thread.
/// Calls block on the disk. If a muxer is released before ``finish()``, only the fragments written so far can be read from
/// the file.
@safe public final class MovieMuxer {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let output: FileStream
    private let file: OpenFile
    private let streams: [MediaStream]
    private let isFragmented: Bool
    private var isFinished = false

    /// Writes the header before the first packet.
    ///
    /// - Parameters:
    ///   - file: Open for writing and empty.
    ///   - streams: Pictures and sound. Packets refer to them by index.
    ///   - options: Layout and texts.
    /// - Throws: ``LibAVError`` if the container does not accept a stream, or the disk failed.
    public init(to file: OpenFile, streams: [MediaStream], options: MuxOptions) throws(LibAVError) {
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
        // The library must not close the file.
        unsafe context.pointee.pb = nil
        unsafe avformat_free_context(context)
    }

    /// Writes a packet. Packets of one stream must arrive in rising order of their decoding times, and those of several streams
    /// approximately in presentation order, so that a player does not have to seek.
    ///
    /// - Throws: ``LibAVError``. The movie cannot be continued then; only the data flushed before can be used.
    public func write(_ packet: MediaPacket) throws(LibAVError) {
        guard streams.indices.contains(packet.stream) else {
            throw LibAVError("write a packet to", file.path, cause: "there is no stream \(packet.stream)")
        }
        var bytes = packet.bytes
        try unsafe bytes.withUnsafeMutableBufferPointer { (buffer) throws(LibAVError) in
            unsafe av_packet_unref(self.packet)
            // The library does not own this memory: it copies what it keeps.
            unsafe self.packet.pointee.data = buffer.baseAddress
            unsafe self.packet.pointee.size = CInt(clamping: buffer.count)
            unsafe self.packet.pointee.pts = packet.presentationTime
            unsafe self.packet.pointee.dts = packet.decodeTime
            unsafe self.packet.pointee.duration = packet.duration
            unsafe self.packet.pointee.flags = packet.isKey ? AV_PKT_FLAG_KEY : 0
            try unsafe send(self.packet, to: packet.stream, timeBase: streams[packet.stream].timeBase)
        }
    }

    /// Ends the fragment of a fragmented movie, and writes all buffered data to the file.
    public func flush() throws(LibAVError) {
        if isFragmented {
            try call("write a fragment of") { unsafe av_write_frame(context, nil) }
            // Otherwise the next fragment would begin at the end of the last packet's duration instead of its own packet's time.
            unsafe av_opt_set(context.pointee.priv_data, "movflags", "+frag_discont", 0)
        }
        try output.flush()
    }

    /// Writes the index of a plain movie, or the last fragment, and all buffered data to the file. Call it once.
    public func finish() throws(LibAVError) {
        guard !isFinished else { return }
        isFinished = true
        try call("finish") { unsafe av_write_trailer(context) }
        try output.flush()
    }

    /// Writes a packet whose times are in units of `timeBase`. Its bytes may belong to any owner.
    func send(
        _ packet: UnsafeMutablePointer<AVPacket>, to stream: Int, timeBase: MediaRational
    ) throws(LibAVError) {
        guard let target = unsafe context.pointee.streams[stream] else { return }
        unsafe packet.pointee.stream_index = CInt(stream)
        // The container may have chosen a different unit from the requested one.
        unsafe av_packet_rescale_ts(packet, timeBase.value, target.pointee.time_base)
        try call("write a packet to") { unsafe av_write_frame(context, packet) }
    }

    private func begin(_ options: MuxOptions) throws(LibAVError) {
        unsafe context.pointee.pb = output.context
        // Omits the library's name, and makes the same bytes from the same packets.
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        unsafe context.pointee.metadata = AVStrings(options.texts).release()
        for stream in streams { try add(stream) }
        let formatOptions = AVStrings(options.formatOptions)
        try call("begin") { unsafe avformat_write_header(context, &formatOptions.pointer) }
    }

    private func add(_ stream: MediaStream) throws(LibAVError) {
        guard let made = unsafe avformat_new_stream(context, nil) else {
            throw LibAVError(code: -ENOMEM, "add a stream to", file.path)
        }
        unsafe made.pointee.time_base = stream.timeBase.value
        unsafe made.pointee.metadata = AVStrings(stream.metadata).release()
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

    /// Calls the library. The error of the file is more precise than the library's number.
    private func call(_ operation: String, _ body: () -> CInt) throws(LibAVError) {
        caprig_av_forget_message()
        let status = body()
        guard status >= 0, output.failure == nil else {
            throw LibAVError(code: status, operation, file.path, file: output.failure)
        }
    }
}
