import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Spool
import Testing

/// Files that a later life of the agent may still make.
@Suite struct DeferredWorkTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let photo = Samples.bytes(3000)
    private let clip = Samples.bytes(50_000, seed: 9)
    private let timing = ClipTiming(
        localStart: LocalTime(nanoseconds: 5), start: BoundedRigTime(time: RigTime(nanoseconds: 7), bound: .zero),
        frameOffsets: [0, 33_333_333], stillFrame: 1, durationNanoseconds: 66_666_666, missingFrames: 0)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `what is deferred is forgotten when the agent ends, or cannot be made of what is left`() async throws {
        var spool: Spool? = try open()
        let report = try await deferred(in: try #require(spool))
        try await spool?.release(Samples.photo(), digest: report.files[0].digest)
        spool = nil

        let reopened = try open()
        let found = try #require(await reopened.inventory().first)
        #expect(found.owed == [.pairedVideo, .motionPhoto] && found.failed == [] && found.files == [])
        let work = try #require(await reopened.deferredWork().first)
        #expect(work.clip == timing && work.clipCodec == .h264 && work.byteCount == 53_000)
        #expect(await reopened.usage().storedBytes == 53_000)
        let still = reopened.place(of: .still, work.key)
        #expect(try still.folder.read(still.name, limit: 1 << 20) == photo)
        let file = try reopened.useRecordedClip(of: work.key, shortfall: RigProblem(.encoderFailed, "None."))
        let grown = try #require(try await reopened.add(file, to: work.key, clip: timing))
        #expect(grown.files == [file] && grown.files[0].digest == Samples.digest(clip) && grown.clip == timing)
        #expect(try folder.names("deferred").count == 3)
        _ = await reopened.giveUp(.motionPhoto, of: work.key, RigProblem(.encoderFailed, "None."))
        #expect(try folder.names("deferred") == [])
        #expect(await reopened.deferredWork() == [])
        #expect(await reopened.usage().storedBytes == 50_000)
    }

    @Test func `an agent that ends before its clip is kept leaves what it owes open, or its still behind`() async throws
    {
        var spool: Spool? = try open()
        try await store(in: try #require(spool))
        try writeClip(in: try #require(spool))
        #expect(try folder.names("deferred").count == 2)
        spool = nil

        let reopened = try open()
        let found = try #require(await reopened.inventory().first)
        #expect(found.owed == [] && found.failed.map(\.problem.code) == [.agentRestarted, .agentRestarted])
        #expect(try folder.names("deferred") == [])
    }

    @Test func `work on a capture that somebody discards stays for ever`() async throws {
        let spool = try open()
        try await deferred(in: spool)
        try await spool.discard(Samples.key())
        #expect(try folder.names("deferred") == [] && folder.names("captures") == [])
        #expect(await spool.usage().storedBytes == 0)
        let late = try DeferredWork(
            key: Samples.key(), kinds: [.pairedVideo], clipCodec: .h264, clip: timing)
        let problem = await #expect(throws: SpoolError.self) { try await spool.keep(late) }
        #expect(problem?.code == .discarded)
    }

    @Test func `work that cannot be read keeps its capture open, or the agent from starting`() async throws {
        var spool: Spool? = try open()
        try await deferred(in: try #require(spool))
        spool = nil
        let name = try #require(folder.names("deferred").first { $0.hasSuffix("work.json") })
        try folder.write("{ \"schemaVersion\": 1, \"byteCount\": -1 }", to: "deferred/" + name)
        let reopened = try open()
        #expect(await reopened.inventory().first?.failed.count == 2)
        #expect(try folder.names("deferred") == [])
    }

    /// The entries, open, write, sync, rename, sync folder.
    @Test(arguments: 0..<6)
    func `a crash while work is written down loses the photo, or is told neither way`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        try await store(in: try #require(spool))
        try writeClip(in: try #require(spool))
        disk.fail(.crash(at: step))
        try? await spool?.keep(
            DeferredWork(
                key: Samples.key(), kinds: [.pairedVideo, .motionPhoto], clipCodec: .h264, clip: timing))
        spool = nil

        let reopened = try open()
        let found = try #require(await reopened.inventory().first)
        #expect(found.files.map(\.kind) == [.photo])
        let isKept = found.owed == [.pairedVideo, .motionPhoto]
        #expect(await reopened.deferredWork().count == (isKept ? 1 : 0))
        #expect(isKept || found.failed.map(\.problem.code) == [.agentRestarted, .agentRestarted])
        #expect(try folder.names("deferred").count == (isKept ? 3 : 0))
    }

    /// Everything that storing does; each step of it is a crash in turn.
    @Test(arguments: 0..<16)
    func `a crash while a still in HEIC is owed loses it in silence, or leaves work of no capture`(_ step: Int)
        async throws
    {
        var spool: Spool? = try Samples.spool(folder, limitBytes: 1 << 30, disk: disk)
        disk.fail(.crash(at: step))
        let stored = try? await storeStill(in: try #require(spool))
        spool = nil

        let reopened = try open()
        guard let found = await reopened.inventory().first else {
            #expect(stored == nil)
            #expect(try folder.names("deferred") == [] && folder.names("captures") == [])
            return
        }
        #expect(found.owed == [.photoHEIC] && found.failed == [])
        #expect(await reopened.deferredWork().map(\.kinds) == [[.photoHEIC]])
        let still = reopened.place(of: .still, found.key)
        #expect(try still.folder.read(still.name, limit: 1 << 20) == photo)
        #expect(await reopened.usage().storedBytes == 6000)
    }

    @Test func `a clip that is kept has the still in HEIC forgotten`() async throws {
        var spool: Spool? = try open()
        try await storeStill(in: try #require(spool), owed: [.photoHEIC, .pairedVideo, .motionPhoto])
        #expect(try await spool?.beginAttempt(.photoHEIC, of: Samples.key()) == 0)
        try writeClip(in: try #require(spool))
        try await spool?.keep(
            DeferredWork(key: Samples.key(), kinds: [.pairedVideo, .motionPhoto], clipCodec: .h264, clip: timing))
        spool = nil

        let reopened = try open()
        let key = try Samples.key()
        #expect(await reopened.deferredWork(of: key)?.kinds == [.photoHEIC, .pairedVideo, .motionPhoto])
        #expect(try await reopened.beginAttempt(.photoHEIC, of: key) == 1)
        await reopened.undoAttempt(.photoHEIC, of: key)
        #expect(try await reopened.beginAttempt(.photoHEIC, of: key) == 1)
        #expect(try await reopened.beginAttempt(.pairedVideo, of: key) == 0)
        // What the clip is made of stays until nothing of it is owed.
        _ = await reopened.giveUp(.photoHEIC, of: key, RigProblem(.encoderFailed, "None."))
        _ = await reopened.giveUp(.pairedVideo, of: key, RigProblem(.encoderFailed, "None."))
        #expect(try folder.names("deferred").count == 3)
        _ = await reopened.giveUp(.motionPhoto, of: key, RigProblem(.encoderFailed, "None."))
        #expect(try folder.names("deferred") == [])
        #expect(await reopened.usage().storedBytes == 3000)
    }

    @discardableResult
    private func storeStill(in spool: Spool, owed: [AssetKind] = [.photoHEIC]) async throws -> CaptureReport {
        var resolved = Samples.resolved
        resolved.codec = .heic
        if owed.count > 1 {
            resolved.livePhoto = LivePhotoMovie(
                dimensions: PixelSize(width: 640, height: 360), codec: .h264, motionPhoto: true)
        }
        return try await spool.store(
            Samples.key(), resolved: resolved, timing: Samples.timing, files: [(.photo, [photo])], owed: owed)
    }

    private func open() throws -> Spool { try Samples.spool(folder, limitBytes: 1 << 30) }

    @discardableResult
    private func deferred(in spool: Spool) async throws -> CaptureReport {
        let report = try await store(in: spool)
        try writeClip(in: spool)
        try await spool.keep(
            DeferredWork(
                key: Samples.key(), kinds: [.pairedVideo, .motionPhoto], clipCodec: .h264, clip: timing))
        return report
    }

    @discardableResult
    private func store(in spool: Spool) async throws -> CaptureReport {
        var resolved = Samples.resolved
        resolved.livePhoto = LivePhotoMovie(
            dimensions: PixelSize(width: 640, height: 360), codec: .h264, motionPhoto: true)
        return try await spool.store(
            Samples.key(), resolved: resolved, timing: Samples.timing, files: [(.photo, [photo])],
            owed: [.pairedVideo, .motionPhoto])
    }

    private func writeClip(in spool: Spool) throws {
        let place = spool.place(of: .clip, try Samples.key())
        try place.folder.publish([clip], as: place.name)
    }
}
