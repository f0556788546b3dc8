import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
import Testing

/// Checks a movie in several files by what `ffprobe` and `ffmpeg` say of each.
enum SegmentCheck {
    private struct Header: Decodable {
        var segment: Int
        var segmentStart: Int64
    }

    private struct Probe: Decodable {
        var packets: [Packet]
        var streams: [Stream]

        struct Packet: Decodable {
            var pts_time: String
        }

        struct Stream: Decodable {
            var start_time: String
            var duration: String
        }
    }

    /// Together they hold every frame once, at the time of the rig, without a gap between them.
    /// - Returns: How many files there are.
    @discardableResult
    static func expectWhole(_ answer: TakeAnswer, _ capture: Capture) async throws -> Int {
        let segments = capture.files.compactMap { $0.kind.isMovie ? $0.kind.segment : nil }
        #expect(segments.map(\.value) == Array(1...max(segments.count, 1)), "\(capture.device.id): \(capture.files)")
        var lines: [MovieCheck.FrameLine] = []
        var end: Double?
        for segment in segments {
            let movie = try answer.path(capture, .movie(segment))
            let sidecar = try answer.path(capture, .frames(segment))
            let frames = try MovieCheck.frames(sidecar)
            let header = try header(sidecar)
            #expect(header.segment == segment.value)
            let start = Double(header.segmentStart) / 90_000
            let (times, length) = try await times(movie)
            #expect(times.count == frames.count && !frames.isEmpty, "\(movie)")
            for (time, line) in zip(times, frames) {
                #expect(abs(time - Double(line.presentationTime) / 90_000) < 0.000_1, "\(movie) at \(time) s")
                let elapsed = Double(line.rigTimeNanoseconds - answer.take.time.nanoseconds) / 1e9
                #expect(abs(start + time - elapsed) < 0.000_1, "\(movie) at \(time) s")
            }
            // The last frame of a file is shown until the first one of the next.
            let first = start + (times.first ?? 0)
            if let end {
                #expect(abs(end - first) < 0.000_1, "\(movie) begins \(first - end) s after the one before ends")
            }
            end = start + length
            try await expectPlays(movie)
            lines += frames
        }
        expectNoneTwice(lines, capture)
        return segments.count
    }

    /// No number twice, and every one that is not there is told.
    private static func expectNoneTwice(_ lines: [MovieCheck.FrameLine], _ capture: Capture) {
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(next.number - line.number - 1 == next.droppedBefore, "\(capture.device.id): frame \(next.number)")
        }
        #expect(lines.count == capture.movie?.frameCount)
        #expect(lines.dropFirst().reduce(0) { $0 + $1.droppedBefore } == Int64(capture.movie?.missingFrames ?? -1))
        let elapsed = (capture.movie?.durationNanoseconds ?? 0) - (capture.timing?.skewNanoseconds ?? 0)
        let stated = (lines.last?.rigTimeNanoseconds ?? 0) - (lines.first?.rigTimeNanoseconds ?? 0)
        #expect(
            abs(elapsed - stated) < 1_000_000, "\(capture.device.id): \(elapsed) ns are told, its frames span \(stated)"
        )
    }

    private static func expectPlays(_ movie: String) async throws {
        let decoded = try await MovieCheck.tool(MovieCheck.playing(movie))
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(movie): \(decoded.errors)")
        let codes = try await MovieCheck.tool([
            "ffprobe", "-v", "error", "-select_streams", "d", "-show_entries", "stream_tags=timecode", "-of", "csv=p=0",
            movie,
        ])
        #expect(codes.output.contains(":"), "\(movie) has no time code")
    }

    private static func header(_ path: String) throws -> Header {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        return try JSONDecoder().decode(Header.self, from: Data((text.split(separator: "\n").first ?? "").utf8))
    }

    /// When each frame is shown, and when the last one no longer is, seconds.
    private static func times(_ movie: String) async throws -> (frames: [Double], end: Double) {
        let answer = try await MovieCheck.tool([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
            "packet=pts_time:stream=start_time,duration", "-of", "json", movie,
        ])
        let probe = try answer.json(Probe.self)
        let stream = try #require(probe.streams.first)
        let end = try #require(Double(stream.start_time)) + #require(Double(stream.duration))
        return (probe.packets.compactMap { Double($0.pts_time) }, end)
    }
}

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

    /// The images of a movie's frames, byte for byte.
    static func pictures(of movie: String) async throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let copied = try await tool([
            "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:v:0", "-c", "copy", "-fps_mode", "passthrough",
            "-f", "image2", folder.path + "/%06d.jpg",
        ])
        guard copied.status == 0 else { throw SystemTestError("\(movie): \(copied.errors)") }
        return try StillCheck.stills(in: folder.path).map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
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

/// `capctl record start`, `record stop` and `takes show` with `--format json`.
struct TakeAnswer: Decodable, Sendable {
    var cameras: [Camera]
    var folder: String
    private var manifest: ShotDocument
    var title: String?

    var take: Shot { manifest.value }

    private enum CodingKeys: String, CodingKey {
        case cameras, folder, title
        case manifest = "take"
    }

    struct Camera: Decodable, Sendable {
        var device: DeviceID
        var frames: Int?
        var frameReason: String?
        var outcome: Capture.Phase
        var problem: RigProblem?
    }

    /// The path of a camera's file.
    func path(_ capture: Capture, _ kind: AssetKind) throws -> String {
        guard let path = capture.files.first(where: { $0.kind == kind })?.path else {
            throw SystemTestError(
                "\(capture.device.id) has no \(kind.rawValue): \(String(describing: capture.problem))")
        }
        return folder + "/" + path
    }
}

/// `capctl record status --format json`.
struct RecordStatusAnswer: Decodable, Sendable {
    var takes: [Item]

    struct Item: Decodable, Sendable {
        var cameras: [Camera]
        var id: ShotID
        var expected: Int
        var marks: Int
    }

    struct Camera: Decodable, Sendable {
        var durationNanoseconds: DecimalText<Int64>
        var frames: Int
        var segmentNumber: Int
    }
}

extension TestRig {
    func record(_ arguments: String..., expecting status: Int32) async throws -> TakeAnswer {
        let outcome = try await capctl.run(["record"] + arguments + ["--format", "json"])
        #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
        return try outcome.json(TakeAnswer.self)
    }

    /// Waits until so many cameras have recorded so much of the only take.
    func awaitRecording(of cameras: Int, reaching length: Duration) async throws {
        let what = "\(cameras) cameras to have recorded \(length)"
        _ = try await capctl.ask(RecordStatusAnswer.self, "record", "status", until: what) { status in
            let recorded = status.takes.first?.cameras.filter { .nanoseconds($0.durationNanoseconds.value) >= length }
            return (recorded?.count ?? 0) >= cameras
        }
    }
}
