import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

/// Movies recorded by the Swift API, of a camera of 25 frames a second.
@Suite(.timeLimit(.minutes(1))) struct MovieRecordingTests {
    @Test("A movie of the Swift API does not span from T to the stop, or its files are not in the spool")
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

    @Test("A second movie is begun beside the first, or a stop after the end does harm")
    func refused() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let recording = try await begun(stage, at: stage.clock.now())
            await #expect(throws: CaptureProblem.self) { try await stage.session.startRecording() }
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

    @Test("A recording whose camera gives no frame is waited for without end, or ends without a reason")
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
            let problem = await #expect(throws: CaptureProblem.self) { try await beginning.value }
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
