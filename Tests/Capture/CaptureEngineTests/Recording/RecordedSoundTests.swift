import CaptureModel
import CaptureTestSupport
import Movies
import Sound
import Testing
import VirtualDevices

@testable import CaptureEngine
@testable import Recording

/// The sound of movies, of a camera of 25 frames a second and a microphone that hears something at all times.
@Suite(.timeLimit(.minutes(1)), .enabled(if: ExternalTool.isExpected("ffmpeg"))) struct RecordedSoundTests {
    /// Hears a one in every sample; a zero is silence that the recording has put in.
    private struct Ones: ClipSoundSource {
        func silence() async -> String? { nil }
        func bytesPerSecond() async -> Int { 96_000 }

        func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound {
            let count = Int((window.upperBound - window.lowerBound).nanoseconds * 48 / 1_000_000)
            let samples = [UInt8]((0..<count).flatMap { _ in [1, 0] as [UInt8] })
            return ClipSound(
                sound: MovieSound(samples: samples, sampleRate: 48_000, channelCount: 1), silences: [])
        }
    }

    @Test("The silence of days ends the agent, or is of another length")
    func longSilence() {
        #expect(MovieFileWriter.nanoseconds(ofSamples: 10_000_000_024, sampleRate: 48_000) == 208_333_333_833_333)
        #expect(MovieFileWriter.nanoseconds(ofSamples: 0, sampleRate: 0) == 0)
    }

    @Test("A movie of some seconds is silent in its first one, or its sound ends before its pictures")
    func whole() async throws {
        let samples = try await sound(of: MovieSettings(), stop: .milliseconds(3300))
        #expect(!samples.contains(0), "\(samples.count { $0 == 0 }) of \(samples.count) samples are silent")
        #expect(abs(samples.count - 48 * 3300) <= 48 * 40)
    }

    @Test("A movie that ends at its limit has no sound of its last moments", arguments: [700, 2300])
    func limited(milliseconds: Int64) async throws {
        let limit = MovieSettings(maxRecordedDurationNanoseconds: milliseconds * 1_000_000)
        let samples = try await sound(of: limit, stop: nil)
        #expect(!samples.contains(0), "\(samples.count { $0 == 0 }) of \(samples.count) samples are silent")
        #expect(abs(samples.count - 48 * Int(milliseconds)) <= 48 * 40)
    }

    @Test("Sound is lost, or silent, where a recording turns to another file")
    func segments() async throws {
        let settings = MovieSettings(segmentDurationNanoseconds: 1_000_000_000)
        let samples = try await sound(of: settings, stop: .milliseconds(3300))
        #expect(!samples.contains(0), "\(samples.count { $0 == 0 }) of \(samples.count) samples are silent")
        #expect(abs(samples.count - 48 * 3300) <= 48 * 40)
    }

    /// Records, and reads the samples of all files by ffmpeg.
    private func sound(of settings: MovieSettings, stop: Duration?) async throws -> [Int16] {
        let stage = try Stage(clipSound: Ones(), recordsMovies: true)
        return try await stage.run {
            await stage.start(frames: 10)
            let (session, start) = (stage.session, stage.clock.now() + .milliseconds(100))
            let beginning = Task { try await session.startRecording(with: settings, at: start) }
            await stage.pass(.milliseconds(250))
            let recording = try await beginning.value
            if let stop { await recording.stop(at: start + stop) }
            await stage.pass(.milliseconds(3400))
            let report = try await recording.finished()
            var bytes: [UInt8] = []
            for file in report.files where file.kind.isMovie {
                let folder = try TemporaryFolder()
                let movie = try folder.write(try await stage.bytes(of: file.kind, report), as: "movie.mov")
                let raw = folder.path + "/sound.raw"
                let outcome = try ExternalTool.run(
                    "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:a", "-f", "s16le", raw)
                try #require(outcome.status == 0, "\(outcome.output)")
                bytes += try folder.read("sound.raw")
            }
            return stride(from: 0, to: bytes.count - 1, by: 2).map {
                Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
            }
        }
    }
}
