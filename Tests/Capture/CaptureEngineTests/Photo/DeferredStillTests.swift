import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import Testing

@testable import CaptureEngine

/// Stills that are encoded after they were stored.
@Suite(.timeLimit(.minutes(10))) struct DeferredStillTests {
    private let stills = FakeStillEncoder()
    private let asked = PhotoSettings(codec: .heic)

    @Test("Delivers the JPEG first, and a HEIC made of it later")
    func encoded() async throws {
        let stage = try Stage(stills: stills)
        try await stage.run {
            await stage.start()
            let key = try await capture(on: stage)
            await stage.deferred.wait { $0.count == 1 }
            let report = try #require(await stage.spool.report(of: key))
            #expect(report.files.map(\.kind) == [.photo, .photoHEIC] && report.owed == [])
            #expect(report.resolved.codec == .heic)
            #expect(try await stage.bytes(of: .photoHEIC, report) == FakeStillEncoder.mark + stage.still(report))
            #expect(await stage.spool.deferredWork() == [])
            #expect(try stage.deferredNames() == [])
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Keeps the photo when encoding fails, and names the missing file")
    func failing() async throws {
        stills.problem.withLock { $0 = RigProblem(.encoderFailed, "the program 'heif-enc' ended with status 1") }
        let stage = try Stage(stills: stills)
        try await stage.run {
            await stage.start()
            let key = try await capture(on: stage)
            await stage.deferred.wait { $0.count == 1 }
            let report = try #require(await stage.spool.report(of: key))
            #expect(report.files.map(\.kind) == [.photo] && report.owed == [])
            #expect(report.failed.map(\.kind) == [.photoHEIC])
            #expect(report.failed.first?.problem.message.contains("heif-enc") == true)
            #expect(try stage.deferredNames() == [])
        }
    }

    @Test("Encodes a still after a restart, also where the library has the photo")
    func resumed() async throws {
        stills.hangs.withLock { $0 = true }
        let stage = try Stage(stills: stills)
        let key = try await stage.run {
            await stage.start()
            let key = try await capture(on: stage)
            await stills.begun.wait { $0 > 0 }
            let digest = try #require(await stage.spool.report(of: key)?.files.first?.digest)
            try await stage.spool.release(FileKey(capture: key, kind: .photo), digest: digest)
            return key
        }
        stills.hangs.withLock { $0 = false }
        try await finish(stage, count: 1)
        #expect(await stage.spool.report(of: key)?.files.map(\.kind) == [.photoHEIC])
    }

    @Test("Leaves no temporary file when encoding is cut off")
    func temporaryFiles() async throws {
        stills.hangs.withLock { $0 = true }
        let stage = try Stage(stills: stills)
        try await stage.run {
            await stage.start()
            _ = try await capture(on: stage)
            await stills.begun.wait { $0 > 0 }
            #expect(try stage.deferredNames().contains { $0.contains("scratch") }, "while it is encoded")
        }
        #expect(try !stage.deferredNames().isEmpty, "the next start encodes it")
        #expect(try !stage.deferredNames().contains { $0.contains("scratch") })
    }

    @Test("Gives up a still whose encoding ended the process too often")
    func triedThreeTimes() async throws {
        stills.hangs.withLock { $0 = true }
        let stage = try Stage(stills: stills)
        let key = try await stage.run {
            await stage.start()
            let key = try await capture(on: stage)
            await stills.begun.wait { $0 > 0 }
            return key
        }
        // An orderly end does not count; what the next three lives leave does.
        for before in 0..<3 { #expect(try await stage.spool.beginAttempt(.photoHEIC, of: key) == before) }
        stills.hangs.withLock { $0 = false }
        try await finish(stage, count: 1)
        let report = try #require(await stage.spool.report(of: key))
        #expect(report.files.map(\.kind) == [.photo] && report.failed.map(\.kind) == [.photoHEIC])
        #expect(report.failed.first?.problem.message.contains("begun 3 times") == true)
    }

    @Test("Encodes clip and HEIC of one capture independently")
    func besideAClip() async throws {
        stills.hangs.withLock { $0 = true }
        let clips = FakeEncoder()
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: clips, stills: stills)
        let key = try await stage.run {
            await stage.start(frames: 60)
            let settings = PhotoSettings(livePhoto: .required, clipCodec: .h264, motionPhoto: true, codec: .heic)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: settings))
            await stage.pass(.milliseconds(1800))
            #expect(await events.steps().last?.name == "didFinish")
            return events.id
        }
        #expect(await stage.spool.report(of: key)?.owed == [.photoHEIC, .pairedVideo, .motionPhoto])
        stills.hangs.withLock { $0 = false }
        try await finish(stage, count: 3, clips)
        let report = try #require(await stage.spool.report(of: key))
        #expect(report.files.map(\.kind) == [.photo, .photoHEIC, .pairedVideo, .motionPhoto])
        #expect(try stage.deferredNames() == [])
    }

    @Test("Reports that a camera cannot have HEIC, and takes the photo")
    func refused() async throws {
        let stage = try Stage(stills: stills)
        try await stage.run {
            await stage.start()
            for settings in [
                PhotoSettings(bracket: [BracketStep(exposureNanoseconds: 1_000_000)], codec: .heic),
                PhotoSettings(raw: .withPhoto, codec: .heic),
            ] {
                let problem = await stage.session.arm(stage.order(stage.now, settings: settings)).failure
                #expect(problem?.code == .unsupportedSettings)
            }
        }
        let odd = PendingCaptures.obstacleToHEIC(asked, of: PixelSize(width: 641, height: 480))
        #expect(odd?.contains("641x480 has an odd one") == true)
        #expect(PendingCaptures.obstacleToHEIC(asked, of: PixelSize(width: 640, height: 480)) == nil)
        let bare = try Stage()
        try await bare.run {
            await bare.start()
            let problem = await bare.session.arm(bare.order(bare.now, settings: asked)).failure
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("HEIC") == true)
        }
    }

    private func capture(on stage: Stage) async throws -> CaptureKey {
        let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: asked))
        await stage.pass(.milliseconds(300))
        #expect(await events.steps().last?.name == "didFinish")
        return events.id
    }

    /// The next life of the agent.
    private func finish(_ stage: Stage, count: Int, _ clips: FakeEncoder? = nil) async throws {
        let next = try stage.processor(clips, stills: stills)
        let running = Task { await next.run() }
        await stage.deferred.wait { $0.count == count }
        running.cancel()
        await running.value
    }
}

/// Puts a mark in front of the JPEG; or fails, or hangs until it is cancelled. Leaves its temporary file.
final class FakeStillEncoder: StillEncoding {
    static let mark = Array("HEIC".utf8)
    let problem = Locked<RigProblem?>(nil)
    let hangs = Locked(false)
    let begun = Observed(0)

    func encodeHEIC(
        _ source: String, in sources: Folder, through scratch: String, to folder: Folder, as name: String
    ) async throws(RigProblem) {
        do {
            try sources.write([Self.mark], to: scratch)
        } catch {
            throw RigProblem(.inputOutput, "\(error)")
        }
        begun.change { $0 += 1 }
        if hangs.withLock({ $0 }) {
            let (ends, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in ends {}
            end.finish()
            throw RigProblem(.cancelled, "it is no longer wanted")
        }
        if let problem = problem.withLock({ $0 }) { throw problem }
        do {
            try folder.publish([Self.mark, sources.read(source, limit: 1 << 24)], as: name)
        } catch {
            throw RigProblem(.inputOutput, "\(error)")
        }
    }
}
