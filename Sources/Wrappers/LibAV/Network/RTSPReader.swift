internal import CLibAV
internal import Glibc

/// Reads the video of an RTSP server, packet by packet as they arrive.
///
/// Owns the library's demuxer. Not `Sendable`: use from one thread. Calls block on the network until `isInterrupted` returns true, which is
/// asked at least every 100 ms; looking up the server's name is not interrupted. The server is untrusted. Errors never contain user or
/// password.
@safe public final class RTSPReader {
    /// How a server is reached.
    public struct Request: Sendable {
        /// `rtsp://`, without user and password.
        public var url: String
        /// The server in messages.
        public var name: String
        public var login: Login?
        public var transport: Transport
        /// Texts that no message may contain, beside user and password.
        public var hidden: [String]

        public init(
            url: String, name: String, login: Login? = nil, transport: Transport = .tcp, hidden: [String] = []
        ) {
            self.url = url
            self.name = name
            self.login = login
            self.transport = transport
            self.hidden = hidden
        }
    }

    /// What carries the packets.
    public enum Transport: String, Sendable, CaseIterable {
        /// The connection of the requests.
        case tcp
        /// Datagrams, of which some may be lost.
        case udp
    }

    /// A user and a password. Prints neither.
    public struct Login: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        let user: String
        let password: String

        /// The bytes that the library has for both, encoded, with a colon.
        private static let room = 127

        /// - Returns: nil if they are too long for the library, or the user has a colon.
        public init?(user: String, password: String) {
            (self.user, self.password) = (user, password)
            guard !user.isEmpty, !user.contains(":"), encoded.utf8.count <= Self.room else { return nil }
        }

        /// As it stands in a URL.
        var encoded: String { "\(Self.encode(user)):\(Self.encode(password))" }

        /// What no message may contain.
        var secrets: [String] { [encoded, Self.encode(password), password] }

        public var description: String { "a login" }
        public var debugDescription: String { description }

        private static func encode(_ text: String) -> String {
            let digits = Array("0123456789ABCDEF")
            return text.utf8.reduce(into: "") { result, byte in
                let character = Character(Unicode.Scalar(byte))
                if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                    result.append(character)
                } else {
                    result += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }
        }
    }

    /// A part of a picture, or a whole one.
    public struct Packet: Sendable {
        /// The time that the server gave its picture, in units of the stream; rises over wraps of RTP's 32 bits. nil for a further part of
        /// the picture before it.
        public var time: Int64?
        /// The same instant by the server's clock, in microseconds since 1970; nil before its first RTCP sender report.
        ///
        /// Off by 2³² units of the stream from a wrap of RTP's 32 bits to the next report, as the library computes it.
        public var wallClockMicroseconds: Int64?
        /// H.264 and H.265 with start codes before each unit that begins in it.
        public var bytes: [UInt8]

        public init(time: Int64?, wallClockMicroseconds: Int64?, bytes: [UInt8]) {
            self.time = time
            self.wallClockMicroseconds = wallClockMicroseconds
            self.bytes = bytes
        }
    }

    /// The description of the video.
    public let stream: MediaStream
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let request: Request
    private let interruption: Interruption
    private let lossesBefore: UInt

    /// The most bytes of a URL.
    public static let longestURL = 900
    /// Packets that wait for one that is missing, over TCP. Over UDP the library's default is more, for 100 ms.
    private static let reordered = "2"
    /// The bytes that datagrams may wait in, as far as the system permits.
    private static let receiveBuffer = 4 << 20
    /// The waits of 100 ms that saying goodbye may take.
    private static let goodbyeWaits = 3

    /// What the library asks whether it shall go on.
    private final class Interruption {
        private let isInterrupted: () -> Bool
        /// How often the library may still ask before it is interrupted; nil as long as `isInterrupted` decides.
        private var asksLeft: Int?
        /// The library answers an interruption with many codes.
        private(set) var hasInterrupted = false

        init(_ isInterrupted: @escaping () -> Bool) {
            self.isInterrupted = isInterrupted
        }

        func allow(_ count: Int) { asksLeft = count }

        func ask() -> Bool {
            if let left = asksLeft {
                asksLeft = left - 1
                return left <= 0
            }
            hasInterrupted = hasInterrupted || isInterrupted()
            return hasInterrupted
        }

        static let callback: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { opaque in
            guard let opaque = unsafe opaque else { return 1 }
            return unsafe Unmanaged<Interruption>.fromOpaque(opaque).takeUnretainedValue().ask() ? 1 : 0
        }
    }

    /// Connects, and asks the server to play.
    /// - Throws: ``LibAVError`` if the server does not answer, refuses, or does not offer exactly one video.
    public init(_ request: Request, isInterrupted: @escaping () -> Bool) throws(LibAVError) {
        caprig_av_keep_messages()
        self.request = request
        interruption = Interruption(isInterrupted)
        lossesBefore = caprig_av_lost_packets()
        guard let packet = unsafe av_packet_alloc() else {
            throw LibAVError(code: -ENOMEM, "open", request.name, hiding: [])
        }
        var owned: UnsafeMutablePointer<AVPacket>? = unsafe packet
        do throws(LibAVError) {
            unsafe (context, stream) = try Self.open(request, interruption)
        } catch {
            unsafe av_packet_free(&owned)
            throw error
        }
        unsafe self.packet = packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        // Without this the server would not be told of the end of a stream that was interrupted.
        interruption.allow(Self.goodbyeWaits)
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// The gaps in the numbers of the packets so far. What belongs to the pictures around a gap is not known.
    public var losses: UInt { caprig_av_lost_packets() - lossesBefore }

    /// Returns the next packet; nil when the server has ended the stream.
    /// - Throws: ``LibAVError`` if the connection fails or the call is interrupted.
    public func next() throws(LibAVError) -> Packet? {
        while true {
            if interruption.ask() { throw error(caprig_av_interrupted(), "read from") }
            unsafe av_packet_unref(packet)
            caprig_av_forget_message()
            let status = unsafe av_read_frame(context, packet)
            if status == caprig_av_end_of_file(), !interruption.hasInterrupted { return nil }
            // A packet that cannot be read is a loss like any other.
            if status == -EAGAIN || status == caprig_av_invalid_data() { continue }
            guard status >= 0 else { throw error(status, "read from") }
            return unsafe Packet(
                time: packet.pointee.pts == caprig_av_no_time ? nil : packet.pointee.pts,
                wallClockMicroseconds: wallClock,
                bytes: Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))))
        }
    }

    /// The first member of `AVProducerReferenceTime`.
    private var wallClock: Int64? {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(packet, AV_PKT_DATA_PRFT, &size), size >= 8 else { return nil }
        return unsafe UnsafeRawPointer(data).loadUnaligned(as: Int64.self)
    }

    private func error(_ code: CInt, _ operation: String) -> LibAVError {
        Self.error(code, operation, request, interruption)
    }

    private static func error(
        _ code: CInt, _ operation: String, _ request: Request, _ interruption: Interruption
    ) -> LibAVError {
        LibAVError(
            code: interruption.hasInterrupted ? caprig_av_interrupted() : code, operation, request.name,
            hiding: request.hidden + (request.login?.secrets ?? []))
    }

    private static func open(
        _ request: Request, _ interruption: Interruption
    ) throws(LibAVError) -> (UnsafeMutablePointer<AVFormatContext>, MediaStream) {
        guard request.url.hasPrefix("rtsp://"), request.url.utf8.count <= longestURL else {
            throw LibAVError("open", request.name, cause: "it is not an rtsp:// URL of at most \(longestURL) bytes")
        }
        var context = unsafe avformat_alloc_context()
        guard unsafe context != nil else { throw error(-ENOMEM, "open", request, interruption) }
        unsafe context?.pointee.interrupt_callback = unsafe AVIOInterruptCB(
            callback: Interruption.callback, opaque: Unmanaged.passUnretained(interruption).toOpaque())
        // Packets as they arrive: the library's parsers would hold back a picture's first bytes, and give it the time of another.
        unsafe context?.pointee.flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN | AVFMT_FLAG_NOBUFFER
        var options = [
            "rtsp_transport": request.transport.rawValue, "allowed_media_types": "video",
            "protocol_whitelist": "rtsp,rtp,udp,tcp", "buffer_size": "\(receiveBuffer)",
        ]
        // Without a queue, gaps in the numbers are not told.
        if request.transport == .tcp { options["reorder_queue_size"] = reordered }
        let strings = AVStrings(options)
        let login = request.login.map { "\($0.encoded)@" } ?? ""
        let url = "rtsp://\(login)\(request.url.dropFirst(7))"
        caprig_av_forget_message()
        // A failure frees the context.
        let status = unsafe avformat_open_input(&context, url, av_find_input_format("rtsp"), &strings.pointer)
        guard status >= 0, let opened = unsafe context else { throw error(status, "open", request, interruption) }
        let count = unsafe Int(opened.pointee.nb_streams)
        guard count == 1, let stream = unsafe opened.pointee.streams[0], let parameters = unsafe stream.pointee.codecpar
        else {
            unsafe avformat_close_input(&context)
            throw LibAVError("open", request.name, cause: "it offers \(count) videos instead of one")
        }
        return unsafe (opened, MediaStream(stream, parameters))
    }
}
