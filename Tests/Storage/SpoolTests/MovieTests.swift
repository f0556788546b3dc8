import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Spool
import Testing

/// Movies of takes, whose debts outlive the process.
@Suite struct MovieTests {
    let folder: TemporaryFolder
    private let movie = Samples.bytes(40_000, seed: 3)
    private let frames = Samples.bytes(900, seed: 4)
    private let told = RecordedMovie(frameCount: 9, durationNanoseconds: 450_000_000, end: .stopped)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a movie and its sidecar join their capture together, and are released one by one`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: spool)
        let files = try adopt(in: spool)
        let grown = try #require(try await spool.add(files, of: .first, to: Samples.key(), .end(told)))
        #expect(grown.files.map(\.kind) == AssetKind.ofMovie && grown.owed == [] && grown.movie == told)
        #expect(await spool.usage().storedBytes == 40_900)
        for file in files { try await spool.release(key(file.kind), digest: file.digest) }
        #expect(await spool.inventory() == [])
        #expect(try folder.names("captures") == [] && folder.names("recordings") == [])
    }

    @Test func `a movie that was in its place when the agent ended is neither swept away nor given up`() async throws {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: #require(spool))
        _ = try adopt(in: #require(spool))
        spool = nil
        let next = try Samples.spool(folder, limitBytes: 1 << 30)
        let owing = try #require(await next.report(of: Samples.key()))
        #expect(owing.owed == AssetKind.ofMovie && owing.failed == [])
        #expect(try next.hasAdopted(key(.movie(.first))) && next.hasAdopted(key(.frames(.first))))
        let again = try next.adopt("gone.mov", as: key(.movie(.first)))
        #expect(again.byteCount == 40_000 && again.digest == Samples.digest(movie))
    }

    @Test func `a movie whose capture was discarded before it is stored leaves nothing`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: spool)
        try await spool.discard(Samples.key())
        let files = try adopt(in: spool)
        #expect(try await spool.add(files, of: .first, to: Samples.key(), .end(told)) == nil)
        #expect(try folder.names("captures") == [])
    }

    @Test func `a recording given up on a full disk is thrown away, or still owed`() async throws {
        let disk = FaultyDisk()
        disk.fail(nil)
        let spool = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await owe(in: spool)
        try spool.recordings.write([movie], to: Spool.recordingName(Samples.key()) + "-001.recording.mov")
        disk.fail(.every(.write, code: ENOSPC))
        let problem = RigProblem(.noSpace, "full")
        let given = await spool.giveUp(.first, of: try Samples.key(), problem, .end(nil))
        let left = try folder.names("recordings")
        #expect(given?.owed == [] && left.count == 1)
        disk.fail(nil)
        // The library has written down that there is no movie.
        for kind in AssetKind.ofMovie { try await spool.forgetFailure(key(kind)) }
        #expect(try folder.names("recordings") == [] && folder.names("captures") == [])
        let kept = try #require(try await spool.damagedCaptures().first)
        #expect(kept.key == (try Samples.key()) && kept.byteCount == Int64(movie.count))
    }

    @Test func `a file of a recording that goes on is thrown away, or the next one with it`() async throws {
        let disk = FaultyDisk()
        disk.fail(nil)
        let spool = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await owe(in: spool)
        let name = Spool.recordingName(try Samples.key())
        try spool.recordings.write([movie], to: name + "-001.recording.mov")
        try spool.recordings.write([frames], to: name + "-001.frames.jsonl")
        try spool.recordings.write([movie], to: name + "-002.recording.mov")
        disk.fail(.every(.write, code: ENOSPC))
        var tally = RecordingTally()
        tally.segmentCount = 1
        let problem = RigProblem(.noSpace, "full")
        let given = await spool.giveUp(.first, of: try Samples.key(), problem, .more(tally))
        let left = try folder.names("recordings")
        #expect(given?.owedSegment == SegmentNumber.first.next && left.count == 3)
        disk.fail(nil)
        for kind in AssetKind.ofMovie { try await spool.forgetFailure(key(kind)) }
        #expect(try folder.names("recordings") == [name + "-002.recording.mov"])
        let kept = try #require(try await spool.damagedCaptures().first)
        #expect(kept.names.count == 2 && kept.byteCount == Int64(movie.count + frames.count))
    }

    @Test func `what the disk refuses to set aside is forgotten, and nobody knows of it`() async throws {
        let refuses = Locked(true)
        let spool = try Spool(
            folder: folder.path, limitBytes: 1 << 30, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"),
            fault: { step, path in
                step == .rename && path.hasSuffix(".recording.mov") && refuses.withLock(\.self) ? EIO : nil
            })
        try await owe(in: spool)
        try spool.recordings.write([movie], to: Spool.recordingName(Samples.key()) + "-001.recording.mov")
        let key = try key(.movie(.first))
        _ = await spool.giveUp(.first, of: key.capture, RigProblem(.inputOutput, "?"), .end(nil))
        await #expect(throws: SpoolError.self) { try await spool.forgetFailure(key) }
        #expect(await spool.report(of: key.capture)?.failed.map(\.kind) == AssetKind.ofMovie)
        #expect(try folder.names("recordings").count == 1)
        refuses.withLock { $0 = false }
        for kind in AssetKind.ofMovie { try await spool.forgetFailure(self.key(kind)) }
        #expect(try await spool.damagedCaptures().first?.byteCount == Int64(movie.count))
        #expect(await spool.inventory() == [])
    }

    @Test func `a movie whose sidecar was lost is kept after the library has it`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: spool)
        let files = try adopt(in: spool).filter { $0.kind == .movie(.first) }
        #expect(try await spool.add(files, of: .first, to: Samples.key(), .end(told))?.failed.count == 1)
        let movie = try #require(files.first)
        try await spool.release(key(.movie(.first)), digest: movie.digest)
        #expect(try await spool.report(of: Samples.key())?.failed.map(\.kind) == [.frames(.first)])
        #expect(try await spool.damagedCaptures().isEmpty)
        try await spool.forgetFailure(key(.frames(.first)))
        #expect(await spool.inventory() == [])
        #expect(try folder.names("captures") == [])
    }

    @Test func `a file of a recording is swept away, since nobody knows that one before it was given up`() async throws
    {
        let second = try #require(SegmentNumber.first.next)
        let disk = FaultyDisk()
        disk.fail(nil)
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await owe(in: #require(spool))
        disk.fail(.every(.write, code: ENOSPC))
        var tally = RecordingTally()
        tally.segmentCount = 1
        _ = try await spool?.giveUp(.first, of: Samples.key(), RigProblem(.noSpace, "full"), .more(tally))
        disk.fail(nil)
        try spool?.recordings.write([movie], to: "second.mov")
        _ = try spool?.adopt("second.mov", as: key(.movie(second)))
        spool = nil
        let next = try Samples.spool(folder, limitBytes: 1 << 30)
        #expect(try await next.report(of: Samples.key())?.owedSegment == .first)
        #expect(try next.hasAdopted(key(.movie(second))) && next.hasRecorded(after: .first, of: Samples.key()))
        #expect(try !next.hasRecorded(after: second, of: Samples.key()))
    }

    @Test func `files of a recording stay in the spool until it ends, or the next start gives up those to come`()
        async throws
    {
        let second = try #require(SegmentNumber.first.next)
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: #require(spool))
        var tally = RecordingTally()
        (tally.segmentCount, tally.frameCount) = (1, 9)
        let files = try adopt(in: #require(spool))
        let grown = try #require(try await spool?.add(files, of: .first, to: Samples.key(), .more(tally)))
        #expect(grown.owed == AssetKind.ofRecording(second) && grown.movie == nil && grown.recorded == tally)
        for file in files { try await spool?.release(key(file.kind), digest: file.digest) }
        #expect(await spool?.usage().storedBytes == 0)
        spool = nil
        let next = try Samples.spool(folder, limitBytes: 1 << 30)
        let owing = try #require(await next.report(of: Samples.key()))
        #expect(owing.owed == grown.owed && owing.recorded == tally && owing.files == [] && owing.failed == [])
        #expect(try await next.add(files, of: .first, to: Samples.key(), .more(tally)) == owing, "it was there before")

        let problem = RigProblem(.fileLost, "gone")
        let given = try await next.giveUp(second, of: Samples.key(), problem, .end(told))
        #expect(given?.owed == [] && given?.movie == told)
        #expect(given?.failed.map(\.kind) == AssetKind.ofRecording(second))
    }

    @Test
    func `a manifest without numbers is damaged, or one with further files is not left alone by an older program`()
        async throws
    {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await owe(in: spool)
        let manifest = "captures/\(try folder.names("captures")[0])"
        let first = String(decoding: try folder.read(manifest), as: UTF8.self)
        #expect(first.contains("\"schemaVersion\" : 2") && first.contains("\"movie\"") && first.contains("\"frames\""))
        _ = try await spool.add(adopt(in: spool), of: .first, to: Samples.key(), .more(RecordingTally()))
        let grown = String(decoding: try folder.read(manifest), as: UTF8.self)
        #expect(grown.contains("\"schemaVersion\" : 3") && grown.contains("\"movie.02\""))
    }

    @Test func `a recording that grows takes room from what comes after it, and gives it back`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 10_000)
        var reservation = try await spool.reserve(byteCount: 2000)
        reservation = try await spool.resize(reservation, to: 9000)
        let error = await #expect(throws: SpoolError.self) { try await spool.reserve(byteCount: 2000) }
        #expect(error?.code == .noSpace)
        await #expect(throws: SpoolError.self) { try await spool.resize(reservation, to: 10_001) }
        reservation = try await spool.resize(reservation, to: 500)
        _ = try await spool.reserve(byteCount: 9000)
        await spool.cancel(reservation)
        #expect(await spool.usage().reservedBytes == 9000)
    }

    private func owe(in spool: Spool) async throws {
        _ = try await spool.store(
            Samples.key(), resolved: Samples.resolved, timing: Samples.timing, files: [], owed: AssetKind.ofMovie)
    }

    private func adopt(in spool: Spool) throws -> [SpooledFile] {
        let name = Spool.recordingName(try Samples.key())
        #expect(try Spool.capture(ofRecording: name + "-001.mov") == Samples.key())
        try spool.recordings.write([movie], to: name + "-001.mov")
        try spool.recordings.write([frames], to: name + "-001.frames.jsonl")
        return [
            try spool.adopt(name + "-001.mov", as: key(.movie(.first))),
            try spool.adopt(name + "-001.frames.jsonl", as: key(.frames(.first))),
        ]
    }

    private func key(_ kind: AssetKind) throws -> FileKey {
        FileKey(capture: try Samples.key(), kind: kind)
    }
}
