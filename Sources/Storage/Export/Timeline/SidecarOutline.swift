internal import FoundationEssentials

/// The information about a movie that a timeline needs, read from its sidecar (`docs/recording.md`).
struct SidecarOutline: Hashable {
    /// The first line.
    struct Header: Hashable, Decodable {
        var schemaVersion: Int
        var timeScale: Int64
        var segment: Int?
        /// The zero point of the movie's own times, in 1/``timeScale`` s from T; nil for T.
        var segmentStart: Int64?
        /// The rate at which ``timecode`` counts, as a fraction.
        var frameRate: String?
        var timecode: String?
        var sampleRate: Int?
        var channelCount: Int?

        /// The format of the movie's sound; nil if there is none, or the values are impossible.
        var sound: (sampleRate: Int, channelCount: Int)? {
            guard let sampleRate, let channelCount, (1...768_000).contains(sampleRate), (1...8).contains(channelCount)
            else { return nil }
            return (sampleRate, channelCount)
        }
    }

    let header: Header
    /// The presentation time of the first frame, and the end of the last one, in 1/``Header/timeScale`` s of the movie's own time.
    let first: Int64
    let end: Int64

    /// Times that can be converted to exact fractions: four days in 1/90 000 s.
    private static let times = Int64(0)..<1 << 35
    /// The time scale of recordings.
    private static let timeScale: Int64 = 90_000
    private static let frameStart = Array(#"{"presentationTime":"#.utf8)

    /// nil if the lines are not a sidecar, or name no frame.
    private init?(_ lines: Reader) {
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(lines.header)),
            header.schemaVersion == 1, header.timeScale == Self.timeScale,
            Self.times.contains(header.segmentStart ?? 0),
            let first = lines.first, let last = lines.last, first <= last
        else { return nil }
        self.header = header
        self.first = first
        // The last frame lasts as long as the one before it. A single frame lasts 1/30 s.
        end = last + max(1, lines.beforeLast.map { last - $0 } ?? header.timeScale / 30)
    }

    /// Reads a sidecar piece by piece: its first line, and the times of the first and last frames.
    struct Reader {
        fileprivate var header: [UInt8] = []
        fileprivate var first: Int64?
        fileprivate var beforeLast: Int64?
        fileprivate var last: Int64?
        private var line: [UInt8] = []
        private var hasHeader = false

        /// What the sidecar contains, after its last byte; nil if this is not a sidecar, or names no frame.
        var outline: SidecarOutline? { SidecarOutline(self) }

        mutating func append(_ bytes: [UInt8]) {
            for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    // The header is shorter, and only the beginning of a frame's line is read.
                    if line.count < 4096 { line.append(byte) }
                    continue
                }
                if hasHeader { parseLine() } else { (header, hasHeader) = (line, true) }
                line.removeAll(keepingCapacity: true)
            }
        }

        private mutating func parseLine() {
            guard line.starts(with: SidecarOutline.frameStart) else { return }
            let digits = line.dropFirst(SidecarOutline.frameStart.count).prefix {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            guard let time = Int64(String(decoding: digits, as: UTF8.self)), SidecarOutline.times.contains(time),
                time >= last ?? 0
            else { return }
            if first == nil { first = time }
            (beforeLast, last) = (last, time)
        }
    }
}
