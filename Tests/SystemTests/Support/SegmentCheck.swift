import CaptureModel
import CaptureTestSupport
import Foundation
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
