/// How a movie is laid out, and what it says of itself.
public struct MovieOptions: Hashable, Sendable {
    /// The kind of file.
    public enum Container: String, Hashable, Sendable {
        /// QuickTime, `.mov`: takes PCM.
        case quickTime = "mov"
        /// ISO base media, `.mp4`: takes AAC only.
        case mp4
    }

    public var container: Container
    /// Whether the index is written piece by piece, at each ``MovieMuxer/flush()``, so that a file that is never finished
    /// can be played up to its last flush; else at the end, as most programs want it.
    public var isFragmented: Bool
    /// Texts of the whole movie, by FFmpeg's names: `title`, `comment`, `creation_time` (RFC 3339).
    public var metadata: [String: String]
    /// Time code of the first frame, `HH:MM:SS:FF` (`;` before the frames: drop frame), for a track of its own; the
    /// picture's stream then has an average frame rate.
    public var timecode: String?
    /// Units a second of the movie's own times, such as those of edit lists.
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
            // Each fragment says its time; shifting all to 0, as the library would, loses when the first packet was.
            options["use_editlist"] = "0"
            options["avoid_negative_ts"] = "make_non_negative"
        }
        return options
    }

    /// Texts with the time code among them, which is where the library looks for it.
    var texts: [String: String] {
        timecode.map { metadata.merging(["timecode": $0]) { $1 } } ?? metadata
    }
}
