internal import LibAV
public import PosixSupport

/// What a movie contains, counted in its packets.
public struct MovieSummary: Hashable, Sendable {
    /// The pictures of all tracks of pictures.
    public let pictureCount: Int
    /// From the first picture to the last, as the file tells it; at most a year.
    public let duration: Duration
    /// Whether the first track of pictures is H.264.
    public let isH264: Bool

    /// Reads all packets of a movie, so it blocks for as long as the disk needs.
    /// - Parameter file: Open for reading. Its bytes are untrusted.
    /// - Throws: ``MovieError`` if it is not a movie, or is damaged.
    public init(of file: OpenFile) throws(MovieError) {
        (pictureCount, duration, isH264) = try MovieFile.library { () throws(LibAVError) in
            let demuxer = try MovieDemuxer(from: file)
            let first = demuxer.streams.firstIndex(where: \.isVideo)
            var (count, times) = (0, (Int64.max, Int64.min))
            while let packet = try demuxer.next() {
                guard demuxer.streams[packet.stream].isVideo else { continue }
                count += 1
                guard packet.stream == first else { continue }
                times = (min(times.0, packet.presentationTime), max(times.1, packet.presentationTime))
            }
            guard let stream = first.map({ demuxer.streams[$0] }) else { return (count, .zero, false) }
            return (count, Self.duration(times, stream.timeBase), stream.codec == .h264)
        }
    }

    private static func duration(_ times: (first: Int64, last: Int64), _ base: MediaRational) -> Duration {
        let (units, overflow) = times.last.subtractingReportingOverflow(times.first)
        guard !overflow, units > 0, base.denominator > 0 else { return .zero }
        return .seconds(min(Double(units) * Double(base.numerator) / Double(base.denominator), 31_536_000))
    }
}
