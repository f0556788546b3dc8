public import PosixSupport

/// Copies pictures and sound of one movie into another without coding them again.
public enum MovieRemuxer {
    /// Writes a movie with the packets of another, and finishes it.
    ///
    /// Times, extra data, display matrix and the texts of streams are kept; a packet that the file ends within is left out.
    /// Streams of data, such as time code, are not
    /// copied; a time code is written anew where `options` has one.
    ///
    /// - Parameters:
    ///   - source: Open for reading; a fragmented movie may end in the middle of a fragment.
    ///   - target: Open for writing, empty; made durable by its owner.
    ///   - options: Layout and texts of the new movie.
    ///   - adjust: May change what is said of a stream.
    ///   - isKept: Whether a packet is copied, by the index of its new stream and when it is shown or sounds, in units of the
    ///     source's stream.
    /// - Returns: Packets copied, by index of the new streams.
    /// - Throws: ``LibAVError``; `target` is then of no use.
    @discardableResult
    public static func copy(
        from source: OpenFile, to target: OpenFile, options: MovieOptions,
        adjust: (inout MediaStream) -> Void = { _ in },
        isKept: (_ stream: Int, _ time: Int64) -> Bool = { _, _ in true }
    ) throws(LibAVError) -> [Int] {
        try copy(from: MovieDemuxer(from: source), to: target, options: options, adjust: adjust, isKept: isKept)
    }

    /// The same with a demuxer that has read nothing yet; see ``copy(from:to:options:adjust:isKept:)-(OpenFile,_,_,_,_)``.
    @discardableResult
    public static func copy(
        from demuxer: MovieDemuxer, to target: OpenFile, options: MovieOptions,
        adjust: (inout MediaStream) -> Void = { _ in },
        isKept: (_ stream: Int, _ time: Int64) -> Bool = { _, _ in true }
    ) throws(LibAVError) -> [Int] {
        let kept = demuxer.streams.indices.filter { demuxer.streams[$0].isMedia }
        var streams = kept.map { demuxer.streams[$0] }
        for index in streams.indices { adjust(&streams[index]) }
        let muxer = try MovieMuxer(to: target, streams: streams, options: options)
        var counts = [Int](repeating: 0, count: streams.count)
        while let stream = try demuxer.advance() {
            guard let index = kept.firstIndex(of: stream), isKept(index, demuxer.time) else { continue }
            try unsafe muxer.send(demuxer.packet, to: index, timeBase: demuxer.streams[stream].timeBase)
            counts[index] += 1
        }
        try muxer.finish()
        return counts
    }
}
