import CameraKit
import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Clips that are encoded after they were recorded, and motion photos.
@Suite(.timeLimit(.minutes(10))) struct DeferredClipTests {
    private let encoder = FakeEncoder()
    private let asked = PhotoSettings(livePhoto: .required, clipCodec: .h264, motionPhoto: true)

    @Test("Encodes a clip without delaying photos, and delivers it once")
    func encoded() async throws {
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: encoder)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: asked))
            await stage.pass(.milliseconds(300))
            let photo = try #require(await stage.spool.report(of: events.id))
            #expect(photo.files.map(\.kind) == [.photo] && photo.owed == [.pairedVideo, .motionPhoto])
            // The library may have it long before the clip is there.
            try await stage.spool.release(
                FileKey(capture: events.id, kind: .photo), digest: try #require(photo.files.first).digest)
            await stage.pass(.milliseconds(1500))
            #expect(await events.steps().suffix(2).map(\.name) == ["didFinishRecordingMovie", "didFinish"])
            await stage.deferred.wait { $0.count == 2 }
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.pairedVideo, .motionPhoto] && report.owed == [])
            #expect(report.files.allSatisfy { $0.shortfall == nil } && report.clip != nil)
            #expect(try await stage.bytes(of: .pairedVideo, report).suffix(4) == FakeEncoder.mark)
            #expect(try await stage.bytes(of: .motionPhoto, report).suffix(4) == FakeEncoder.mark)
            #expect(stage.deferred.value.map(\.kind) == [.pairedVideo, .motionPhoto])
            #expect(await stage.spool.deferredWork() == [])
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Keeps the recorded clip when encoding fails, and says so")
    func failing() async throws {
        encoder.problem.withLock { $0 = "the program 'ffmpeg' ended with status 1" }
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: encoder)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: asked))
            await stage.pass(.milliseconds(1800))
            await stage.deferred.wait { $0.count == 2 }
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.photo, .pairedVideo])
            let shortfall = try #require(report.files[1].shortfall)
            #expect(shortfall.code == .encoderFailed && shortfall.message.contains("ended with status 1"))
            #expect(shortfall.message.contains("north/cam: its clip is stored as it was recorded"))
            #expect(report.failed.map(\.kind) == [.motionPhoto] && report.failed[0].problem.code == .encoderFailed)
            #expect(try await stage.bytes(of: .pairedVideo, report).count > 10_000)
            #expect(await stage.spool.deferredWork() == [])
        }
    }

    @Test("Delivers a clip before its motion photo is made")
    func motionPhotoAlone() async throws {
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: encoder)
        try await stage.run {
            await stage.start(frames: 60)
            let settings = PhotoSettings(livePhoto: .whereEnabled, motionPhoto: true)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: settings))
            await stage.pass(.milliseconds(1800))
            #expect(await events.steps().suffix(2).map(\.name) == ["didFinishProcessingMovie", "didFinish"])
            await stage.deferred.wait { $0.count == 1 }
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.photo, .pairedVideo, .motionPhoto])
            #expect(try await stage.bytes(of: .pairedVideo, report).suffix(4) != FakeEncoder.mark[...])
        }
    }

    @Test("Encodes after a restart what was being encoded before it")
    func resumed() async throws {
        encoder.hangs.withLock { $0 = true }
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: encoder)
        let key = try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: asked))
            await stage.pass(.milliseconds(1800))
            await encoder.begun.wait { $0 > 0 }
            return events.id
        }
        #expect(await stage.spool.report(of: key)?.owed == [.pairedVideo, .motionPhoto])
        #expect(try stage.spooledNames().count == 2)
        encoder.hangs.withLock { $0 = false }
        let next = try stage.processor(encoder)
        let running = Task { await next.run() }
        await stage.deferred.wait { $0.count == 2 }
        running.cancel()
        await running.value
        #expect(await stage.spool.report(of: key)?.files.map(\.kind) == [.photo, .pairedVideo, .motionPhoto])
    }

    @Test("Refuses H.264 clips without an encoder, and records plain ones")
    func noEncoder() async throws {
        let stage = try Stage(clipWriter: MovieClipWriter())
        try await stage.run {
            await stage.start(frames: 60)
            for settings in [asked, PhotoSettings(livePhoto: .whereEnabled, clipCodec: .h264)] {
                let problem = await stage.session.arm(stage.order(stage.now, settings: settings)).failure
                #expect(
                    problem?.code == .unsupportedSettings && problem?.message.contains("no encoder for clips") == true)
            }
            let plain = PhotoSettings(livePhoto: .whereEnabled, clipCodec: .mjpeg)
            #expect(await stage.session.arm(stage.order(stage.now, shot: 2, settings: plain)).value?.livePhoto != nil)
        }
    }

    @Test("Ignores the clip codec for a camera without clips")
    func noClips() async throws {
        let stage = try Stage(policy: SessionPolicy(isLivePhotoEnabled: false), clipWriter: MovieClipWriter())
        try await stage.run {
            await stage.start()
            let settings = PhotoSettings(livePhoto: .whereEnabled, clipCodec: .h264, motionPhoto: true)
            let resolved = await stage.session.arm(stage.order(stage.now, settings: settings)).value
            #expect(resolved != nil && resolved?.livePhoto == nil && resolved?.livePhotoNote != nil)
        }
    }

    @Test("Fails the motion photo of a clip that was interrupted")
    func brokenOff() async throws {
        let stage = try Stage(clipWriter: MovieClipWriter(), encoder: encoder)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: asked))
            await stage.pass(.milliseconds(500))
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            #expect(await events.steps().last?.name == "didFinish(deviceLost)")
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.owed == [] && report.failed.map(\.kind) == [.pairedVideo, .motionPhoto])
        }
    }
}

/// Makes files that are told by their last bytes; or fails, or hangs until it is cancelled.
final class FakeEncoder: ClipEncoding {
    static let mark: [UInt8] = [0x68, 0x32, 0x36, 0x34]
    let problem = Locked<String?>(nil)
    let hangs = Locked(false)
    let begun = Observed(0)

    func makeMP4(
        of source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64 {
        try await write([0, 0, 0, 8] + Array("ftyp".utf8) + [0, 0, 0, 8] + Self.mark, to: folder, as: name)
    }

    func encodeLivePhoto(
        _ source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64 {
        let bytes = (try? sources.read(source, limit: 1 << 24)) ?? []
        return try await write(bytes + Self.mark, to: folder, as: name)
    }

    private func write(_ bytes: [UInt8], to folder: Folder, as name: String) async throws(MovieError) -> Int64 {
        begun.change { $0 += 1 }
        if hangs.withLock({ $0 }) {
            let (ends, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in ends {}
            end.finish()
            throw MovieError(.cancelled, "encode", name, "it is no longer wanted")
        }
        if let problem = problem.withLock({ $0 }) { throw MovieError(.encoder, "encode", name, problem) }
        do {
            try folder.publish([bytes], as: name)
        } catch {
            throw MovieError(.codec, "encode", name, "\(error)")
        }
        return Int64(bytes.count)
    }
}
