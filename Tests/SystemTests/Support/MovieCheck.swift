import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

/// Checks the movies of takes by what `ffprobe` and `ffmpeg` say of them.
enum MovieCheck {
    /// A line about a frame of a sidecar.
    struct FrameLine: Decodable {
        var presentationTime: Int64
        var rigTimeNanoseconds: Int64
        var boundNanoseconds: Int64
        var number: Int64
        var droppedBefore: Int64
    }

    private struct Probe: Decodable {
        var streams: [Stream]

        struct Stream: Decodable {
            var codec_name: String?
            var codec_type: String
            var duration: String?
            var tags: [String: String]?
        }
    }

    /// The movie decodes, its frames are those of the sidecar at the same times, which are those of the rig, and it has a
    /// time code.
    /// - Returns: Whether it has sound.
    static func expectSound(_ answer: TakeAnswer, _ capture: Capture) async throws -> Bool {
        let movie = try answer.path(capture, .movie(.first))
        let lines = try frames(answer.path(capture, .frames(.first)))
        let told = try #require(capture.movie)
        let times = try await packetTimes(movie)
        #expect(times.count == told.frameCount && lines.count == told.frameCount && told.frameCount > 0)
        for (time, line) in zip(times, lines) {
            #expect(abs(time - Double(line.presentationTime) / 90_000) < 0.000_1, "\(movie): a frame at \(time) s")
            let elapsed = Double(line.rigTimeNanoseconds - answer.take.time.nanoseconds) / 1e9
            #expect(abs(time - elapsed) < 0.000_1, "\(movie): a frame at \(time) s was exposed \(elapsed) s after T")
        }
        #expect(lines.dropFirst().reduce(0) { $0 + $1.droppedBefore } == Int64(told.missingFrames))
        let decoded = try await tool(MovieCheck.playing(movie))
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(movie): \(decoded.errors)")
        let probe = try await tool(["ffprobe", "-v", "error", "-show_streams", "-of", "json", movie])
        let streams = try probe.json(Probe.self).streams
        #expect(streams.first { $0.codec_type == "video" }?.codec_name == "mjpeg")
        #expect(
            streams.contains { $0.codec_type == "data" && $0.tags?["timecode"] != nil }, "\(movie) has no time code")
        return streams.contains { $0.codec_type == "audio" && $0.codec_name == "pcm_s16le" }
    }

    /// It begins with the first frame at or after T, and ends with the last one before the take's stop.
    static func expectWhole(_ answer: TakeAnswer, _ capture: Capture) throws {
        let lines = try frames(answer.path(capture, .frames(.first)))
        let interval = try #require(capture.resolved).streamFormat.frameInterval
        let (first, last) = (try #require(lines.first), try #require(lines.last))
        let begin = RigTime(nanoseconds: first.rigTimeNanoseconds) - answer.take.time
        let stop = try #require(answer.take.take?.stopTime)
        let end = stop - RigTime(nanoseconds: last.rigTimeNanoseconds)
        // A virtual camera may skip a frame on a busy machine; then the manifest says so.
        let slack = interval * (capture.movie?.missingFrames == 0 ? 2 : 4)
        // What the node has learnt of the clock since it chose the frame may put it before T, by no more than its bound.
        let bound = Duration.nanoseconds(first.boundNanoseconds)
        #expect(begin >= .zero - bound && begin < slack, "\(capture.device.id) begins \(begin) after T")
        #expect(end > .zero && end <= slack, "\(capture.device.id) ends \(end) before the stop")
    }

    static func frames(_ path: String) throws -> [FrameLine] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        return try text.split(separator: "\n").filter { $0.hasPrefix(#"{"presentationTime""#) }.map {
            try JSONDecoder().decode(FrameLine.self, from: Data($0.utf8))
        }
    }

    private static func packetTimes(_ movie: String) async throws -> [Double] {
        let probe = try await tool([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            movie,
        ])
        return probe.output.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
    }

    /// What decodes all of a movie, and says nothing of a sound one. In the movie's own times: by its frame rate, two frames may
    /// round to one.
    static func playing(_ movie: String) -> [String] {
        ["ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-fps_mode", "passthrough", "-enc_time_base", "-1"]
            + ["-f", "null", "-"]
    }

    static func tool(_ command: [String]) async throws -> Capctl.Outcome {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            command[0], program: "/usr/bin/env", arguments: command, log: folder.path + "/log")
        return try await Capctl.outcome(of: program)
    }
}
