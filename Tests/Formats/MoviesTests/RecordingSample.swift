import CaptureModel
import CaptureTestSupport
import Foundation
import ImageMetadata
import Movies
import Testing
import TurboJPEG

/// Recordings as a camera makes them.
enum RecordingSample {
    private static let pictures = Result { try (0..<32).map { try ClipSample.jpeg($0) } }

    static let rate = FrameRate(interval: .nanoseconds(33_333_333))

    static func format(
        sound: Bool = false, rate: FrameRate = rate, timecodeStart: SMPTETimecode? = nil
    ) -> RecordingFormat {
        RecordingFormat(
            width: 96, height: 64, frameRate: rate,
            sound: sound ? RecordingFormat.Sound(sampleRate: 48_000, channelCount: 1) : nil, reelName: "LEFT 1",
            timecodeStart: timecodeStart, creationDate: ClipSample.date, title: "Take ü")
    }

    /// Those of a transaction that comes into the pictures between the first frame and the third.
    static func settings(_ number: Int) throws -> FrameSettings? {
        let revision = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        return switch number {
        case 0: nil
        case 1: .changing(from: nil, to: revision)
        default: .inForce(revision)
        }
    }

    static func frame(_ number: Int, at time: Int64) throws -> RecordedFrame {
        try RecordedFrame(
            jpeg: pictures.get()[number % 32], presentationTime: time,
            rigTimeNanoseconds: 1_000_000_000_000 + Int64(number) * 33_333_333,
            boundNanoseconds: 250_000 + Int64(number),
            number: 100 + Int64(number), exposureNanoseconds: 8_000_000,
            settings: settings(number))
    }

    /// A thirtieth of a second that differs from number to number.
    static func sound(_ number: Int) -> [UInt8] {
        SampleBytes.sound(3200, number: number)
    }
}

/// Clips as a camera and a microphone make them.
enum ClipSample {
    static let identifier = "7C3E9F0E-3D6C-4A2B-8F50-019A2C5E7B5A"
    /// 2026-01-02T03:04:05.123456789+01:00.
    static let date = EXIFTimestamp(realtimeNanoseconds: 1_767_319_445_123_456_789, utcOffsetMinutes: 60)

    /// A picture that differs from number to number.
    static func jpeg(_ number: Int, width: Int = 96, height: Int = 64) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv422)
        let sizes = geometry.planeSizes.map { $0.width * $0.height }
        let luma = (0..<sizes[0]).map { UInt8(truncatingIfNeeded: ($0 % width + $0 / width) * 2 + number * 7) }
        let chroma = [UInt8](repeating: UInt8(truncatingIfNeeded: 100 + number), count: sizes[1])
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 85, into: &jpeg)
        return jpeg
    }

    /// Times of `count` frames at about 30 a second, whose intervals wander as a camera's do.
    static func times(_ count: Int, seed: UInt64 = 3, first: Int64 = 731) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { first + Int64($0) * 3000 + Int64.random(in: -400...400, using: &generator) }
    }

    /// A sine of 440 Hz.
    static func sound(seconds: Double, sampleRate: Int = 48_000, channelCount: Int = 1) -> MovieSound {
        MovieSound(
            samples: SampleBytes.tone(seconds: seconds, sampleRate: sampleRate, channelCount: channelCount),
            sampleRate: sampleRate, channelCount: channelCount)
    }

    private static let pictures = Result { try (0..<90).map { try jpeg($0) } }

    /// Three seconds with the still in the middle.
    static func clip(sound: MovieSound? = ClipSample.sound(seconds: 3)) throws -> LivePhotoClip {
        let frames = zip(try pictures.get(), times(90)).map(LivePhotoClip.Frame.init)
        return LivePhotoClip(
            frames: frames, stillIndex: 45, duration: 270_000, sound: sound, contentIdentifier: identifier,
            creationDate: date, make: "Caprig", model: "Virtual ü", cameraIdentifier: "left/1", software: "Caprig 0.1")
    }
}

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
