internal import CaptureModel
internal import PosixSupport

/// The lines of a movie's sidecar, one JSON object each: a description of the file, then each frame and mark in order.
///
/// Lines are buffered until ``flush()``, which precedes that of their frames, so that every frame on the disk has its line.
final class FrameSidecar {
    static let schemaVersion = 1
    /// The beginning of the first line.
    static let headerStart = Array(#"{"schemaVersion":"#.utf8)
    /// The beginning of a frame's line, and of no other.
    static let frameStart = Array(#"{"presentationTime":"#.utf8)
    private let file: OpenFile
    private var waiting: [UInt8] = []

    init(_ file: OpenFile, segment: Int, start: Int64, _ format: RecordingFormat) {
        self.file = file
        waiting = Self.line([
            ("schemaVersion", "\(Self.schemaVersion)"), ("timeScale", "\(MovieTime.unitsPerSecond)"),
            ("segment", "\(segment)"), ("segmentStart", "\(start)"), ("camera", Self.quoted(format.reelName)),
            ("frameRate", Self.quoted(format.frameRate.description)),
            ("timecode", format.timecode(at: start).map { Self.quoted($0.description) }),
            ("sampleRate", format.sound.map { "\($0.sampleRate)" }),
            ("channelCount", format.sound.map { "\($0.channelCount)" }),
        ])
    }

    /// Adds a frame's line.
    /// - Parameter time: Its time in the movie, in 1/90 000 s.
    func add(_ frame: RecordedFrame, at time: Int64) {
        let fields: [(String, String?)] = [
            ("presentationTime", "\(time)"), ("rigTimeNanoseconds", "\(frame.rigTimeNanoseconds)"),
            ("boundNanoseconds", "\(frame.boundNanoseconds)"), ("number", "\(frame.number)"),
            ("exposureNanoseconds", frame.exposureNanoseconds.map { "\($0)" }), ("gain", frame.gain.map { "\($0)" }),
            ("settings", frame.settings.map(Self.text)),
            ("droppedBefore", "\(frame.droppedBefore)"), ("byteCount", "\(frame.jpeg.count)"),
        ]
        waiting += Self.line(fields)
    }

    /// Adds a mark.
    func add(mark text: String, at time: Int64) {
        waiting += Self.line([("mark", Self.quoted(text)), ("presentationTime", "\(time)")])
    }

    /// Writes the lines to the file.
    func flush() throws(PosixError) {
        guard !waiting.isEmpty else { return }
        try file.write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    func sync() throws(PosixError) {
        try file.syncData()
    }

    private static func line(_ fields: [(String, String?)]) -> [UInt8] {
        let pairs = fields.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return Array("{\(pairs.joined(separator: ","))}\n".utf8)
    }

    private static func text(_ settings: FrameSettings) -> String {
        switch settings {
        case .inForce(let revision): quoted("\(revision)")
        case .changing: quoted("changing")
        }
    }

    /// Returns a text as a JSON string (RFC 8259, 7).
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.append(contentsOf: "\\\(scalar)".unicodeScalars)
            case _ where scalar.isUnprintable: quoted.append(contentsOf: scalar.shortEscape.unicodeScalars)
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }
}

extension FrameSidecar {
    /// Returns the presentation times of the frames that have lines, in order, in 1/90 000 s. Stops at a frame's line without a time.
    static func times(_ file: OpenFile) throws(PosixError) -> [Int64] {
        var times: [Int64] = []
        var lines = SidecarLines(file)
        while let line = try lines.next() {
            guard line.isFrame else { continue }
            guard let time = line.presentationTime else { break }
            times.append(time)
        }
        return times
    }

    /// Returns the time of the file's start in its recording, in 1/90 000 s; nil if the first line does not tell it.
    static func start(_ file: OpenFile) throws(PosixError) -> Int64? {
        var lines = SidecarLines(file)
        return try lines.next()?.number("segmentStart")
    }

    /// Truncates a sidecar after the lines of as many frames as the movie has, and after its last complete line.
    static func cut(_ file: OpenFile, frames: Int) throws(PosixError) {
        var (end, kept) = (Int64(0), 0)
        var lines = SidecarLines(file)
        while let line = try lines.next() {
            if line.isFrame {
                guard kept < frames else { break }
                kept += 1
            }
            end = line.end
        }
        if try file.byteCount() > end { try file.setByteCount(end) }
        try file.sync()
    }
}

/// The frames of a recording that both its movie and its sidecar have: those of the finished movie.
///
/// A crash removes the end of both files, possibly more of one than of the other. Frames are therefore accepted as long as their times
/// equal those of the lines, one after another. The rest of both is left out. If the rest is longer than a crash can leave, the recording
/// was damaged in another way, and pictures could be mistaken for others or be overlooked.
///
/// | movie | sidecar | the finished movie |
/// |---|---|---|
/// | a frame | a line with its time | has the frame |
/// | a frame | a line with another time, or none left | ends before it |
/// | no frame left | a line | ends; the line is cut |
/// | nothing in common | anything | does not exist: damage, if there are frames |
struct ListedFrames {
    /// Frames accepted so far.
    private(set) var count = 0
    private let times: [Int64]
    private let end: Int64?
    private var unlisted = Rest()

    /// - Parameters:
    ///   - times: The presentation times of the frames that have lines, in 1/90 000 s.
    ///   - end: The end of the last one of them; nil if no other file follows.
    init(_ times: [Int64], end: Int64? = nil) {
        self.times = times
        self.end = end
    }

    /// The duration of the frame that was accepted last, if none follows: until the next file, otherwise that of the frame before it.
    /// A single frame lasts 1/30 s.
    var lastDuration: Int64 {
        guard count > 0 else { return MovieTime.unitsPerSecond / 30 }
        let last = times[count - 1]
        if count == times.count, let end, end > last { return end - last }
        return count > 1 ? max(1, last - times[count - 2]) : MovieTime.unitsPerSecond / 30
    }

    /// Whether the movie has ended before a frame that was offered.
    var isEnded: Bool { unlisted.count > 0 }

    /// Returns whether the next frame of the recording, with this presentation time, is part of the movie.
    mutating func accepts(_ time: Int64) -> Bool {
        guard !isEnded, count < times.count, times[count] == time else {
            unlisted.add(time)
            return false
        }
        count += 1
        return true
    }

    /// A description of the damage to the recording, once all its frames were offered; nil if a crash explains the difference.
    var damage: String? {
        var missing = Rest()
        for time in times[count...] { missing.add(time) }
        let isOther = count == 0 && unlisted.count > 0
        guard isOther || missing.span > RecordingLimits.longestLoss || unlisted.span > RecordingLimits.longestLoss
        else { return nil }
        return "its frames and the lines of its sidecar agree up to frame \(count) only; \(unlisted.count) frames and "
            + "\(missing.count) lines follow, more than a crash can leave"
    }

    /// Frames, or lines, without a counterpart.
    private struct Rest {
        var count = 0
        private var earliest = Int64.max
        private var latest = Int64.min

        /// The duration of all except the first, which may have waited for the next one for as long as no frame arrived.
        var span: Int64 {
            guard count > 1 else { return 0 }
            let (length, isTooLong) = latest.subtractingReportingOverflow(earliest)
            return isTooLong ? .max : length
        }

        mutating func add(_ time: Int64) {
            count += 1
            guard count > 1 else { return }
            (earliest, latest) = (min(earliest, time), max(latest, time))
        }
    }
}
