import CaptureModel
import CaptureTestSupport
import Glibc
import Movies
import PosixSupport
import Recording
import Spool
import Testing

/// Recordings that cannot be read at the next start.
@Suite(.timeLimit(.minutes(10))) struct DamagedRecordingTests {
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
        try spool.recordings.write([Array("This is not a movie.".utf8)], to: RecordingFinisher.recordingName(stem))
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
        #expect(problem.code == .corrupted && problem.message.contains("are kept as \(folder.path)/damaged/"))
        let kept = try #require(try await spool.damagedCaptures().first)
        #expect(kept.key == key && kept.names.count == 2 && kept.byteCount == 23)
        #expect(try folder.names("recordings") == [])
    }

    @Test("Keeps an abandoned recording where the disk refuses to move it")
    func refused() async throws {
        let (folder, refuses) = (try TemporaryFolder(), Locked(true))
        let spool = try Self.spool(folder, refuses)
        let key = try await Self.owe(in: spool)
        let stem = RecordingFinisher.stem(Spool.recordingName(key), segment: 1)
        try spool.recordings.write([Array("This is a movie.".utf8)], to: RecordingFinisher.recordingName(stem))
        _ = await spool.giveUp(.first, of: key, RigProblem(.inputOutput, "?"), .end(nil))
        let finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: ManualTimeSource())
        #expect(await finisher.leftovers(in: spool) == [])
        #expect(try folder.names("recordings").count == 1)
        refuses.withLock { $0 = false }
        #expect(await finisher.leftovers(in: spool) == [])
        #expect(try folder.names("recordings") == [])
        #expect(try await spool.damagedCaptures().first?.byteCount == 16)
    }

    @Test("Keeps the files of a recording behind a missing one")
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

@Suite struct RecordableFramesTests {
    @Test(
        "Frames that wait for a slow disk take more memory than they may, or one that is larger than that never comes")
    func waitingFrames() async throws {
        func frame(_ number: UInt64, _ count: Int) -> RecordableFrame {
            RecordableFrame(
                sequence: number, time: BoundedRigTime(time: RigTime(nanoseconds: Int64(number)), bound: .zero),
                exposure: nil, gain: nil, jpeg: [UInt8](repeating: 0, count: count))
        }
        let frames = RecordableFrames(byteLimit: 1000)
        #expect(frames.offer(frame(1, 2000)) && !frames.offer(frame(2, 1)), "one is larger than the limit")
        #expect(await frames.forEach { $0.sequence } == 1)
        #expect(frames.offer(frame(3, 600)) && !frames.offer(frame(4, 401)) && frames.offer(frame(5, 400)))
        #expect(await frames.forEach { $0.sequence } == 3)
        #expect(frames.offer(frame(6, 600)))
        for number in 7..<UInt64(RecordableFrames.mostFrames + 5) { _ = frames.offer(frame(number, 0)) }
        frames.finish()
        #expect(!frames.offer(frame(1000, 0)))
        var taken: [UInt64] = []
        let none: Bool? = await frames.forEach { item in
            taken.append(item.sequence)
            return nil
        }
        #expect(none == nil && taken.count == RecordableFrames.mostFrames && taken.prefix(2) == [5, 6])
    }
}
