import CaptureTestSupport
import Foundation
import Testing

/// What ffprobe, ffmpeg and exiftool say of a file.
enum Probe {
    /// Whether the tools are there; see ``ExternalTool/isExpected(_:)``.
    static let isPossible = ["ffprobe", "ffmpeg", "exiftool"].allSatisfy(ExternalTool.isExpected)

    /// Lines of ffprobe about the chosen streams.
    static func entries(_ entries: String, of path: String, streams: String) throws -> [String] {
        let report = try ExternalTool.run(
            "ffprobe", "-v", "error", "-select_streams", streams, "-show_entries", entries, "-of", "csv=p=0", path)
        #expect(report.status == 0, "\(report.output)")
        return report.output.split(separator: "\n").map { String($0).trimmingCharacters(in: [",", " "]) }
    }

    /// Times of a stream's packets, seconds.
    static func times(of path: String, streams: String = "v:0") throws -> [Double] {
        try entries("packet=pts_time", of: path, streams: streams).compactMap(Double.init)
    }

    /// What ffmpeg complains about when it decodes everything.
    static func complaints(about path: String) throws -> String {
        try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-map", "0:a?", "-fps_mode", "passthrough",
            "-enc_time_base", "-1", "-f", "null", "-"
        )
        .output
    }

    /// Values of tags as exiftool reads them; those in timed metadata too.
    static func tags(_ tags: [String], of path: String) throws -> [String] {
        let report = try ExternalTool.run(["exiftool", "-ee", "-s3"] + tags.map { "-\($0)" } + [path])
        #expect(report.status == 0, "\(report.output)")
        return report.output.split(separator: "\n").map(String.init)
    }

    /// exiftool's findings but for the summary line of a sound file.
    static func validation(of path: String) throws -> [String] {
        let report = try ExternalTool.run("exiftool", "-validate", "-warning", "-error", "-a", "-s3", path)
        return report.output.split(separator: "\n").map(String.init)
    }
}

extension Probe {
    /// Times of the frames that ffprobe reads of a file that was cut off, of which it may complain.
    static func readableTimes(of path: String) throws -> [Double] {
        try ExternalTool.run(
            "ffprobe", "-v", "quiet", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            path
        ).output.split(separator: "\n").compactMap { Double($0.trimmingCharacters(in: [",", " "])) }
    }
}

extension Probe {
    /// By how many seconds times differ at most from others in 1/90 000 s.
    static func largestError(_ seconds: [Double], _ units: [Int64]) -> Double {
        zip(seconds, units).map { abs($0 - Double($1) / 90_000) }.max() ?? .infinity
    }
}
