import CaptureModel
import CaptureTestSupport
import Movies
import Sound
import Spool
import Testing

@testable import CaptureEngine
@testable import Recording

/// The sound of movies, of a camera of 25 frames a second and a microphone that hears something at all times.
@Suite(.timeLimit(.minutes(10)), .enabled(if: ExternalTool.isExpected("ffmpeg"))) struct RecordedSoundTests {
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

    @Test("Fills days of silence with the right length in bounded memory")
    func longSilence() {
        #expect(MovieFileWriter.nanoseconds(ofSamples: 10_000_000_024, sampleRate: 48_000) == 208_333_333_833_333)
        #expect(MovieFileWriter.nanoseconds(ofSamples: 0, sampleRate: 0) == 0)
    }

    @Test("Gives a short movie sound from its first frame to its last")
    func whole() async throws {
        let samples = try await sound(of: MovieSettings(), stop: .milliseconds(3300))
        #expect(!samples.contains(0), "\(samples.count { $0 == 0 }) of \(samples.count) samples are silent")
        #expect(abs(samples.count - 48 * 3300) <= 48 * 40)
    }

    @Test("Writes the last sound of a movie that ends at its limit", arguments: [700, 2300])
    func limited(milliseconds: Int64) async throws {
        let limit = MovieSettings(maxRecordedDurationNanoseconds: milliseconds * 1_000_000)
        let samples = try await sound(of: limit, stop: nil)
        #expect(!samples.contains(0), "\(samples.count { $0 == 0 }) of \(samples.count) samples are silent")
        #expect(abs(samples.count - 48 * Int(milliseconds)) <= 48 * 40)
    }

    @Test("Keeps the sound where a recording continues in another file")
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

/// Movies recorded by the Swift API, of a camera of 25 frames a second.
@Suite(.timeLimit(.minutes(10))) struct MovieRecordingTests {
    @Test("Records from T to the stop through the Swift API into the spool")
    func spans() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let start = stage.clock.now() + .milliseconds(100)
            let recording = try await begun(stage, at: start)
            #expect((.zero..<Stage.period).contains(recording.firstFrame.localMidExposure - start))
            #expect(recording.resolved.movie?.hasSound == false)
            await recording.stop(at: start + .seconds(1))
            await recording.stop(at: start + .seconds(2))
            await stage.pass(.milliseconds(900))
            let report = try await recording.finished()
            #expect(report.key == recording.id && report.files.map(\.kind) == AssetKind.ofMovie)
            #expect(report.movie?.end == .stopped && report.movie?.frameCount == 25)
            #expect(await stage.spool.report(of: recording.id) == report)
        }
    }

    @Test("Refuses a second movie, and ignores a stop after the end")
    func refused() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let recording = try await begun(stage, at: stage.clock.now())
            await #expect(throws: RigProblem.self) { try await stage.session.startRecording() }
            await recording.stop()
            await stage.pass(.milliseconds(50))
            _ = try await recording.finished()
            await recording.stop()
            let next = try await begun(
                stage, MovieSettings(maxRecordedDurationNanoseconds: 200_000_000), at: stage.clock.now())
            await stage.pass(.milliseconds(300))
            #expect(try await next.finished().movie?.end == .durationLimit)
        }
    }

    @Test("Ends a recording without frames in time, with the reason")
    func noFrame() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let session = stage.session
            let start = stage.clock.now() + .milliseconds(200)
            let beginning = Task { try await session.startRecording(at: start) }
            await stage.pass(.milliseconds(50))
            await session.stopRunning()
            await stage.pass(.milliseconds(2400))
            let problem = await #expect(throws: RigProblem.self) { try await beginning.value }
            #expect(problem?.message.contains("north/cam") == true)
        }
    }

    private func begun(
        _ stage: Stage, _ settings: MovieSettings = MovieSettings(), at instant: LocalTime
    ) async throws -> MovieRecording {
        let session = stage.session
        let beginning = Task { try await session.startRecording(with: settings, at: instant) }
        await stage.pass(.milliseconds(250))
        return try await beginning.value
    }
}
