import CaptureModel
import CaptureTestSupport
import Glibc
import Movies
import PosixSupport
import Recording
import Spool
import Testing

/// Recordings that cannot be read at the next start.
@Suite(.timeLimit(.minutes(1))) struct DamagedRecordingTests {
    @Test(
        "A recording that cannot be read is thrown away, lies where nobody finds it, or is called lost",
        arguments: [
            false, true,
        ])
    func damaged(wasSetAsideBefore: Bool) async throws {
        let folder = try TemporaryFolder()
        let spool = try Self.spool(folder, Locked(false))
        let key = try await Self.owe(in: spool)
        let stem = RecordingFinisher.stem(Spool.recordingName(key), segment: 1)
        try spool.recordings.write([Array("This is no movie.".utf8)], to: RecordingFinisher.recordingName(stem))
        try spool.recordings.write([Array("{}\n".utf8)], to: RecordingFinisher.sidecarName(stem))
        if wasSetAsideBefore {
            // A crash came between the movie and its sidecar.
            let damaged = try Folder(opening: spool.damagedPath)
            let movie = "\(Spool.recordingName(key)).movie.mov"
            try spool.recordings.rename(RecordingFinisher.recordingName(stem), in: damaged, to: movie)
        }
        let finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: ManualTimeSource())
        #expect(await finisher.leftovers(in: spool) == [key])
        let report = try #require(await finisher.recover(key, in: spool))
        #expect(report.owed == [] && report.failed.map(\.kind) == AssetKind.ofMovie && report.movie == nil)
        let problem = try #require(report.failed.first?.problem)
        #expect(problem.code == .corrupted && problem.message.contains("is kept as \(folder.path)/damaged/"))
        let kept = try #require(try await spool.damagedCaptures().first)
        #expect(kept.key == key && kept.names.count == 2 && kept.byteCount == 20)
        #expect(try folder.names("recordings") == [])
    }

    @Test("A recording that was given up is removed by a start whose disk refuses to move it")
    func refused() async throws {
        let (folder, refuses) = (try TemporaryFolder(), Locked(true))
        let spool = try Self.spool(folder, refuses)
        let key = try await Self.owe(in: spool)
        let stem = RecordingFinisher.stem(Spool.recordingName(key), segment: 1)
        try spool.recordings.write([Array("This is a movie.".utf8)], to: RecordingFinisher.recordingName(stem))
        _ = await spool.giveUp(.first, of: key, CaptureProblem(.inputOutput, "?"), .end(nil))
        let finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: ManualTimeSource())
        #expect(await finisher.leftovers(in: spool) == [])
        #expect(try folder.names("recordings").count == 1)
        refuses.withLock { $0 = false }
        #expect(await finisher.leftovers(in: spool) == [])
        #expect(try folder.names("recordings") == [])
        #expect(try await spool.damagedCaptures().first?.byteCount == 16)
    }

    @Test("A file of a recording ends it where the next one is gone, and those after that are thrown away")
    func gap() async throws {
        let folder = try TemporaryFolder()
        let spool = try Self.spool(folder, Locked(false))
        let key = try await Self.owe(in: spool)
        for segment in [1, 3] {
            let stem = RecordingFinisher.stem(Spool.recordingName(key), segment: segment)
            try spool.recordings.write([Array("No movie \(segment).".utf8)], to: RecordingFinisher.recordingName(stem))
        }
        let finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: ManualTimeSource())
        let report = try #require(await finisher.recover(key, in: spool))
        #expect(report.owed == [])
        #expect(report.failed.filter(\.kind.isMovie).map(\.problem.code) == [.corrupted, .fileLost, .corrupted])
        #expect(try folder.names("recordings") == [] && folder.names("damaged").count == 2)
    }

    /// - Parameter refuses: Whether the disk refuses to move recordings.
    private static func spool(_ folder: TemporaryFolder, _ refuses: Locked<Bool>) throws -> Spool {
        try Spool(
            folder: folder.path, limitBytes: 1 << 30, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"),
            fault: { step, path in
                step == .rename && path.hasSuffix(".recording.mov") && refuses.withLock(\.self) ? EIO : nil
            })
    }

    /// Stores a capture that owes a movie.
    private static func owe(in spool: Spool) async throws -> CaptureKey {
        var generator = SeededGenerator(seed: 1)
        let shot = ShotID(unixMilliseconds: 1_795_255_861_000, using: &generator)
        let key = CaptureKey(shot: shot, device: try DeviceID("north/cam"))
        let format = VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(33))
        let resolved = ResolvedPhotoSettings(
            width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
        let timing = FrameTiming(
            sequence: 1, localMidExposure: LocalTime(nanoseconds: 1),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: 1), bound: .zero), skewNanoseconds: 0,
            exposureNanoseconds: 1, dequeued: RigTime(nanoseconds: 2))
        _ = try await spool.store(key, resolved: resolved, timing: timing, files: [], owed: AssetKind.ofMovie)
        return key
    }
}
