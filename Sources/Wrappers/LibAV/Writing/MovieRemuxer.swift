internal import CLibAV
public import PosixSupport

/// Copies pictures and sound of one movie into another without coding them again.
public enum MovieRemuxer {
    /// Writes a movie with the packets of another, and finishes it.
    ///
    /// Keeps times, extra data, display matrix and the texts of streams. Omits a last packet that is cut off, and streams of data such
    /// as time code. Writes a new time code if `options` has one.
    ///
    /// - Parameters:
    ///   - source: Open for reading. A fragmented movie may end in the middle of a fragment.
    ///   - target: Open for writing, empty. Its owner makes it durable.
    ///   - options: Layout and texts of the new movie.
    ///   - adjust: May change the description of a stream.
    ///   - isKept: Whether a packet is copied, by the index of its new stream and its presentation time, in units of the
    ///     source's stream.
    ///   - duration: The duration of a packet that is copied, by the same; nil: the one that the library reads. It counts for
    ///     the last packet of a stream: the others last until the next one. The library does not read that of a fragmented
    ///     movie's last packet, and guesses it from the frame rate.
    /// - Returns: The numbers of packets copied, by index of the new streams.
    /// - Throws: ``LibAVError``. `target` cannot be used then.
    @discardableResult
    public static func copy(
        from source: OpenFile, to target: OpenFile, options: MuxOptions,
        adjust: (inout MediaStream) -> Void = { _ in },
        isKept: (_ stream: Int, _ time: Int64) -> Bool = { _, _ in true },
        duration: (_ stream: Int, _ time: Int64) -> Int64? = { _, _ in nil }
    ) throws(LibAVError) -> [Int] {
        try copy(
            from: MovieDemuxer(from: source), to: target, options: options, adjust: adjust, isKept: isKept,
            duration: duration)
    }

    /// The same for a demuxer that has not read a packet yet; see ``copy(from:to:options:adjust:isKept:duration:)-(OpenFile,_,_,_,_,_)``.
    @discardableResult
    public static func copy(
        from demuxer: MovieDemuxer, to target: OpenFile, options: MuxOptions,
        adjust: (inout MediaStream) -> Void = { _ in },
        isKept: (_ stream: Int, _ time: Int64) -> Bool = { _, _ in true },
        duration: (_ stream: Int, _ time: Int64) -> Int64? = { _, _ in nil }
    ) throws(LibAVError) -> [Int] {
        let kept = demuxer.streams.indices.filter { demuxer.streams[$0].isMedia }
        var streams = kept.map { demuxer.streams[$0] }
        for index in streams.indices { adjust(&streams[index]) }
        let muxer = try MovieMuxer(to: target, streams: streams, options: options)
        var counts = [Int](repeating: 0, count: streams.count)
        while let stream = try demuxer.advance() {
            guard let index = kept.firstIndex(of: stream), isKept(index, demuxer.time) else { continue }
            if let duration = duration(index, demuxer.time) { unsafe demuxer.packet.pointee.duration = duration }
            try unsafe muxer.send(demuxer.packet, to: index, timeBase: demuxer.streams[stream].timeBase)
            counts[index] += 1
        }
        try muxer.finish()
        return counts
    }
}

/// The layout and the texts of a movie.
public struct MuxOptions: Hashable, Sendable {
    /// The kind of file.
    public enum Container: String, Hashable, Sendable {
        /// QuickTime, `.mov`: accepts PCM.
        case quickTime = "mov"
        /// ISO base media, `.mp4`: accepts only AAC.
        case mp4
    }

    public var container: Container
    /// Whether a part of the index is written at each ``MovieMuxer/flush()``, so that an unfinished file can be played up to
    /// its last flush. Otherwise the index is written at the end, as most programs expect.
    public var isFragmented: Bool
    /// Texts of the movie, by FFmpeg's names: `title`, `comment`, `creation_time` (RFC 3339).
    public var metadata: [String: String]
    /// Time code of the first frame, `HH:MM:SS:FF` (`;` before the frames: drop frame), for a separate track. The
    /// stream of pictures must have an average frame rate then.
    public var timecode: String?
    /// Units per second of the movie's own times, such as those of edit lists.
    public var timeScale: Int

    public init(
        _ container: Container, isFragmented: Bool = false, metadata: [String: String] = [:], timecode: String? = nil,
        timeScale: Int = 90_000
    ) {
        self.container = container
        self.isFragmented = isFragmented
        self.metadata = metadata
        self.timecode = timecode
        self.timeScale = timeScale
    }

    /// The muxer's own options.
    var formatOptions: [String: String] {
        var options = ["movie_timescale": String(timeScale)]
        if isFragmented {
            options["movflags"] = "frag_custom+empty_moov+default_base_moof+frag_discont"
            // Each fragment states its time. The library's default shifts all times to 0, which loses the time of the first packet.
            options["use_editlist"] = "0"
            options["avoid_negative_ts"] = "make_non_negative"
        }
        return options
    }

    /// The texts with the time code among them, where the library expects it.
    var texts: [String: String] {
        timecode.map { metadata.merging(["timecode": $0]) { $1 } } ?? metadata
    }
}
