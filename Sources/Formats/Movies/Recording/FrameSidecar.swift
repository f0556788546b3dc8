internal import CaptureModel
internal import PosixSupport

/// The lines that go beside a movie, one JSON object each: what the file is, then each frame and mark in order.
///
/// Lines are kept until ``flush()``, which comes before that of their frames, so that a frame on the disk has its line.
final class FrameSidecar {
    static let schemaVersion = 1
    /// How the first line begins.
    static let headerStart = Array(#"{"schemaVersion":"#.utf8)
    /// How a frame's line begins, and no other.
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
    /// - Parameter time: Its time in the movie, 1/90 000 s.
    func add(_ frame: RecordedFrame, at time: Int64) {
        let fields: [(String, String?)] = [
            ("presentationTime", "\(time)"), ("rigTimeNanoseconds", "\(frame.rigTimeNanoseconds)"),
            ("boundNanoseconds", "\(frame.boundNanoseconds)"), ("number", "\(frame.number)"),
            ("exposureNanoseconds", frame.exposureNanoseconds.map { "\($0)" }), ("gain", frame.gain.map { "\($0)" }),
            ("droppedBefore", "\(frame.droppedBefore)"), ("byteCount", "\(frame.jpeg.count)"),
        ]
        waiting += Self.line(fields)
    }

    /// Adds a mark that somebody has set.
    func add(mark text: String, at time: Int64) {
        waiting += Self.line([("mark", Self.quoted(text)), ("presentationTime", "\(time)")])
    }

    /// Hands the lines to the file.
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

    /// A text as a JSON string (RFC 8259, 7).
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.append(contentsOf: "\\\(scalar)".unicodeScalars)
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }
}

extension FrameSidecar {
    /// When the frames are shown that it has lines about, in their order, 1/90 000 s. A line that does not say it ends them.
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

    /// Cuts a sidecar behind the line of the last frame that the movie has, and behind its last whole line.
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
