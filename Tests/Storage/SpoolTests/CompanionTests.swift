import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Spool
import Testing

/// Files that are made after their capture was stored.
@Suite struct CompanionTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let photo = Samples.bytes(3000)
    let movie = Samples.bytes(2_500_000, seed: 9)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a clip joins its capture, and both are released one by one`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let file = try make(in: spool)
        #expect(file.digest == Samples.digest(movie) && file.byteCount == 2_500_000)
        let grown = try #require(try await spool.add(file, to: Samples.key()))
        #expect(grown.files.map(\.kind) == [.photo, .pairedVideo] && grown.owed == [])
        #expect(try await spool.report(of: Samples.key()) == grown)
        #expect(await spool.usage().storedBytes == 2_503_000)
        #expect(try await spool.read(clip(), offset: 2_499_990, count: 100) == Array(movie.suffix(10)))

        try await spool.release(Samples.photo(), digest: grown.files[0].digest)
        try await spool.release(clip(), digest: file.digest)
        #expect(await spool.inventory() == [])
        #expect(try folder.names("captures") == [])
        #expect(await spool.usage().storedBytes == 0)
    }

    @Test("Keeps a failure that is stored with its capture until it is forgotten, over a restart too")
    func storedFailure() async throws {
        let problem = RigProblem(.fileLost, "the camera has stored no raw file")
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        let stored = try await spool?.store(
            Samples.key(), resolved: Samples.resolved, timing: Samples.timing, files: [(.photo, [photo])],
            failed: [FailedFile(kind: .alternatePhoto, problem: problem)])
        let report = try #require(stored)
        #expect(report.failed == [FailedFile(kind: .alternatePhoto, problem: problem)] && report.owed.isEmpty)
        spool = nil

        let reopened = try Samples.spool(folder, limitBytes: 1 << 30)
        #expect(await reopened.inventory() == [report])
        try await reopened.release(Samples.photo(), digest: report.files[0].digest)
        #expect(await reopened.inventory().map(\.failed) == [report.failed])
        try await reopened.forgetFailure(FileKey(capture: Samples.key(), kind: .alternatePhoto))
        #expect(await reopened.inventory() == [])
        #expect(try folder.names("captures") == [])
    }

    @Test("Stores the raw file that a camera has made under its extension")
    func cameraRaw() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        let raw = Samples.bytes(4000, seed: 5)
        let report = try await spool.store(
            Samples.key(), resolved: Samples.resolved, timing: Samples.timing,
            files: [(.photo, [photo]), (.cameraRaw(.nef), [raw])])
        #expect(report.files.map(\.kind) == [.photo, .cameraRaw(.nef)])
        #expect(try folder.names("captures").contains { $0.hasSuffix(".cameraRaw.nef") })
        #expect(
            try await spool.read(FileKey(capture: Samples.key(), kind: .cameraRaw(.nef)), offset: 0, count: 5000) == raw
        )
    }

    @Test func `a capture whose photo is released already still gets its clip`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        let report = try await store(in: spool)
        try await spool.release(Samples.photo(), digest: report.files[0].digest)
        #expect(await spool.inventory().map(\.owed) == [[.pairedVideo]])
        let grown = try await spool.add(make(in: spool), to: Samples.key())
        #expect(grown?.files.map(\.kind) == [.pairedVideo])
    }

    @Test func `what was being made when the agent ended is an honest failure, and the photo stays`() async throws {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        let report = try await store(in: try #require(spool))
        _ = try make(in: try #require(spool))
        spool = nil

        let reopened = try Samples.spool(folder, limitBytes: 1 << 30)
        let found = try #require(await reopened.inventory().first)
        #expect(found.files == report.files && found.owed == [])
        #expect(found.failed.map(\.kind) == [.pairedVideo] && found.failed.map(\.problem.code) == [.agentRestarted])
        #expect(try folder.names("captures").count == 2)
        #expect(try await reopened.read(Samples.photo(), offset: 0, count: 3000) == photo)
    }

    @Test(arguments: [FileStep.write, .syncFile, .rename])
    func `a capture that owes a clip keeps the agent from starting where the disk is full`(_ step: FileStep)
        async throws
    {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        let report = try await store(in: try #require(spool))
        spool = nil

        disk.fail(.every(step, code: ENOSPC))
        var full: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        let found = try #require(await full?.inventory().first)
        #expect(found.files == report.files && found.owed == [])
        #expect(found.failed.map(\.problem.code) == [.agentRestarted])
        let findings = try #require(full?.startupFindings)
        #expect(findings.count == 1 && findings[0].contains("could not be written down"))
        full = nil

        disk.fail(nil)
        let reopened = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        #expect(await reopened.inventory() == [found])
        #expect(reopened.startupFindings.count == 1)
        #expect(try folder.names("captures").count == 2)
    }

    @Test func `a failure outlives a restart until the library has it`() async throws {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30)
        let report = try await store(in: try #require(spool))
        let problem = RigProblem(.noSpace, "The disk is full.")
        let failed = try await spool?.giveUp(.pairedVideo, of: Samples.key(), problem)
        #expect(failed?.failed == [FailedFile(kind: .pairedVideo, problem: problem)])
        #expect(try await spool?.giveUp(.pairedVideo, of: Samples.key(), problem) == nil)
        try await spool?.release(Samples.photo(), digest: report.files[0].digest)
        spool = nil

        let reopened = try Samples.spool(folder, limitBytes: 1 << 30)
        #expect(await reopened.inventory().map(\.failed) == [[FailedFile(kind: .pairedVideo, problem: problem)]])
        try await reopened.forgetFailure(clip())
        try await reopened.forgetFailure(clip())
        #expect(await reopened.inventory() == [])
        #expect(try folder.names("captures") == [])
    }

    @Test func `a clip that cannot be written leaves nothing of itself`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let problem = try #require(throws: RigProblem.self) {
            try spool.make(clip(), failing: Self.problem) { (folder, name) throws(RigProblem) in
                try? folder.write([movie], to: name)
                throw RigProblem(.noSpace, "full")
            }
        }
        #expect(problem.code == .noSpace)
        #expect(try folder.names("captures").count == 2)
    }

    @Test func `a clip that was not written is a failure that names its file`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let problem = try #require(throws: RigProblem.self) {
            // Nothing is written, so that there is nothing to look at.
            try spool.make(clip(), failing: Self.problem) { (_, _) throws(RigProblem) in }
        }
        #expect(problem.code == .inputOutput)
        #expect(try problem.message.contains(spool.path(of: clip())))
    }

    @Test func `a clip of a capture that somebody has discarded is removed`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let file = try make(in: spool)
        try await spool.discard(Samples.key())
        #expect(try await spool.add(file, to: Samples.key()) == nil)
        #expect(try folder.names("captures") == [])
    }

    @Test func `a clip that was given up before it arrives is told to be there`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let file = try make(in: spool)
        let given = try await spool.giveUp(.pairedVideo, of: Samples.key(), RigProblem(.cancelled, "The end."))
        #expect(try await spool.add(file, to: Samples.key()) == nil)
        #expect(try await spool.report(of: Samples.key()) == given)
        #expect(try folder.names("captures").count == 2)
    }

    @Test func `a clip that is added again is refused, or counted twice`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30)
        try await store(in: spool)
        let file = try make(in: spool)
        let grown = try await spool.add(file, to: Samples.key())
        #expect(try await spool.add(file, to: Samples.key()) == grown)
        #expect(await spool.usage().storedBytes == 2_503_000)
        #expect(try folder.names("captures").count == 3)
    }

    /// A manifest: open, write, sync, rename, sync folder.
    @Test(arguments: 0..<5)
    func `a crash while a clip is added costs at most the clip`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await store(in: try #require(spool))
        let file = try make(in: try #require(spool))
        disk.fail(.crash(at: step))
        await #expect(throws: SpoolError.self) { try await spool?.add(file, to: Samples.key()) }
        spool = nil

        let reopened = try Samples.spool(folder, limitBytes: 1 << 30)
        let found = try #require(await reopened.inventory().first)
        #expect(try folder.names("damaged") == [])
        #expect(try await reopened.read(Samples.photo(), offset: 0, count: 3000) == photo)
        if step == 4 {
            #expect(found.files.map(\.kind) == [.photo, .pairedVideo])
        } else {
            #expect(found.files.map(\.kind) == [.photo] && found.failed.map(\.problem.code) == [.agentRestarted])
        }
        #expect(try folder.names("captures").count == 1 + found.files.count)
    }

    @Test(arguments: 0..<5, [ENOSPC, EIO])
    func `a disk that fails while a clip is added leaves it owed, and then given up`(_ step: Int, _ code: CInt)
        async throws
    {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await store(in: try #require(spool))
        let file = try make(in: try #require(spool))
        disk.fail(.once(at: step, code: code))
        let problem = await #expect(throws: SpoolError.self) { try await spool?.add(file, to: Samples.key()) }
        #expect(problem?.code == (code == EIO ? .inputOutput : .noSpace))
        disk.fail(nil)
        _ = try await spool?.giveUp(.pairedVideo, of: Samples.key(), Self.problem(try #require(problem)))
        spool = nil

        let reopened = try Samples.spool(folder, limitBytes: 1 << 30)
        let found = try #require(await reopened.inventory().first)
        #expect(
            found.files.map(\.kind) == [.photo] && found.failed.map(\.problem) == problem.map { [Self.problem($0)] })
        #expect(try folder.names("captures").count == 2)
    }

    enum Farewell: CaseIterable { case forgotten, released, discarded }

    @Test(arguments: Farewell.allCases)
    func `a clip that could be neither added nor given up stays on the disk until the agent is restarted`(
        _ farewell: Farewell
    ) async throws {
        let spool = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        let report = try await store(in: spool)
        let file = try make(in: spool)
        // The manifest with the clip has its name already, and may or may not be durable.
        disk.fail(.every(.syncFolder, code: EIO))
        let problem = await #expect(throws: SpoolError.self) { try await spool.add(file, to: Samples.key()) }
        let given = try await spool.giveUp(.pairedVideo, of: Samples.key(), Self.problem(try #require(problem)))
        #expect(given?.failed.count == 1)
        #expect(try folder.names("captures").count == 3, "a manifest may name it")
        disk.fail(nil)
        switch farewell {
        case .forgotten: try await spool.forgetFailure(clip())
        case .released: try await spool.release(Samples.photo(), digest: report.files[0].digest)
        case .discarded: try await spool.discard(Samples.key())
        }
        #expect(try folder.names("captures").filter { $0.hasSuffix(".mov") } == [])
    }

    private static func problem(_ error: SpoolError) -> RigProblem {
        RigProblem(.inputOutput, error.description)
    }

    private func clip() throws -> FileKey {
        FileKey(capture: try Samples.key(), kind: .pairedVideo)
    }

    @discardableResult
    private func store(in spool: Spool) async throws -> CaptureReport {
        try await spool.store(
            Samples.key(), resolved: Samples.resolved, timing: Samples.timing, files: [(.photo, [photo])],
            owed: [.pairedVideo])
    }

    private func make(in spool: Spool) throws -> SpooledFile {
        try spool.make(clip(), failing: Self.problem) { (folder, name) throws(RigProblem) in
            do {
                try folder.write([movie], to: name)
            } catch {
                throw RigProblem(.inputOutput, "\(error)")
            }
        }
    }
}
