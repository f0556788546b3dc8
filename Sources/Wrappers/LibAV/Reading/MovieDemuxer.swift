internal import CLibAV
internal import Glibc
public import PosixSupport

/// Reads the packets of a movie as stored.
///
/// Owns the library's demuxer. Not `Sendable`: use from one thread. Calls block on the disk. The file is untrusted: the library
/// checks its contents, and only QuickTime and MP4 are accepted.
@safe public final class MovieDemuxer {
    /// The descriptions of the file's streams, by index.
    public let streams: [MediaStream]
    /// Texts of the movie.
    public let metadata: [String: String]
    private let context: UnsafeMutablePointer<AVFormatContext>
    let packet: UnsafeMutablePointer<AVPacket>
    private let input: FileStream
    private let path: String

    /// - Parameter file: Open for reading.
    /// - Throws: ``LibAVError`` if the file is not a movie, or an unfinished plain one, or the disk fails.
    public convenience init(from file: OpenFile) throws(LibAVError) {
        try self.init(.file(file))
    }

    /// Reads a movie that is not a file on this machine.
    /// - Parameters:
    ///   - name: A name for messages.
    ///   - read: Returns up to so many bytes from an offset, at least one before the end. Called only within this call and ``next()``, on
    ///     the same thread. Its errors end these calls.
    /// - Throws: As ``init(from:)``.
    public convenience init(
        named name: String, byteCount: Int64,
        read: @escaping (_ offset: Int64, _ count: Int) throws(PosixError) -> [UInt8]
    ) throws(LibAVError) {
        try self.init(.source(name: name, byteCount: byteCount, read: read))
    }

    private init(_ file: StreamedFile) throws(LibAVError) {
        caprig_av_keep_messages()
        path = file.path
        input = try FileStream(file, isWriting: false)
        unsafe context = try Self.open(input, path)
        unsafe (streams, metadata) = (Self.streams(context), AVStrings.texts(of: context.pointee.metadata))
        guard let packet = unsafe av_packet_alloc() else {
            var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
            unsafe avformat_close_input(&context)
            throw LibAVError(code: -ENOMEM, "open", file.path)
        }
        unsafe self.packet = packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// Returns the next packet of the file; nil at its end.
    /// - Throws: ``LibAVError`` if the file is damaged at this place, or the disk failed.
    public func next() throws(LibAVError) -> MediaPacket? {
        guard let stream = try advance() else { return nil }
        let decodeTime = unsafe packet.pointee.dts
        return unsafe MediaPacket(
            stream: stream, presentationTime: time, decodeTime: decodeTime == caprig_av_no_time ? time : decodeTime,
            duration: packet.pointee.duration, isKey: packet.pointee.flags & AV_PKT_FLAG_KEY != 0, bytes: bytes)
    }

    /// The bytes of ``packet``.
    var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }

    /// The presentation time of ``packet``, in units of its stream.
    var time: Int64 {
        unsafe packet.pointee.pts == caprig_av_no_time ? packet.pointee.dts : packet.pointee.pts
    }

    /// Reads a packet into ``packet``. Returns the index of its stream, or nil at the end.
    func advance() throws(LibAVError) -> Int? {
        while true {
            unsafe av_packet_unref(packet)
            caprig_av_forget_message()
            let status = unsafe av_read_frame(context, packet)
            if status == caprig_av_end_of_file(), input.failure == nil { return nil }
            guard status >= 0 else { throw LibAVError(code: status, "read", path, file: input.failure) }
            let stream = unsafe Int(packet.pointee.stream_index)
            if streams.indices.contains(stream) { return stream }
        }
    }

    private static func open(
        _ input: FileStream, _ path: String
    ) throws(LibAVError) -> UnsafeMutablePointer<AVFormatContext> {
        var context = unsafe avformat_alloc_context()
        guard unsafe context != nil else { throw LibAVError(code: -ENOMEM, "open", path) }
        unsafe context?.pointee.pb = input.context
        // A packet that is cut off by the end of the file is not returned.
        unsafe context?.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_DISCARD_CORRUPT
        caprig_av_forget_message()
        // A failure frees the context.
        var status = unsafe avformat_open_input(&context, nil, av_find_input_format("mov"), nil)
        if status >= 0 { status = unsafe avformat_find_stream_info(context, nil) }
        guard status >= 0, let opened = unsafe context else {
            let error = LibAVError(code: status, "read", path, file: input.failure)
            unsafe avformat_close_input(&context)
            throw error
        }
        return unsafe opened
    }

    private static func streams(_ context: UnsafeMutablePointer<AVFormatContext>) -> [MediaStream] {
        let count = unsafe Int(context.pointee.nb_streams)
        return (0..<count).compactMap { index in
            guard let stream = unsafe context.pointee.streams[index], let parameters = unsafe stream.pointee.codecpar
            else { return nil }
            var described = unsafe MediaStream(stream, parameters)
            described.displayMatrix = unsafe displayMatrix(of: stream)
            return described
        }
    }

    private static func displayMatrix(of stream: UnsafeMutablePointer<AVStream>) -> [Int32] {
        var size = 0
        guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else {
            return []
        }
        return (0..<9).map { unsafe UnsafeRawPointer(data).loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self) }
    }
}
