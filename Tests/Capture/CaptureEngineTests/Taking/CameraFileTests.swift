import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import Testing
import TurboJPEG

@testable import CaptureEngine

/// A session of a camera without frames, with a spool, on a clock that stands still.
private final class StillStage: Sendable {
    let camera: StillCamera
    let spool: Spool
    let session: CaptureSession
    private let clock = ManualTimeSource()
    private let recorder = SessionRecorder()
    private let folder: TemporaryFolder

    init(
        _ files: [TakenPicture.Files], hasRawFiles: Bool = true, isEnabled: Bool = true, spoolLimit: Int64 = 1 << 30
    ) throws {
        camera = StillCamera(files, hasRawFiles: hasRawFiles)
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path, limitBytes: spoolLimit, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"))
        let input = CaptureDeviceInput(
            device: CaptureDevice(
                description: DeviceDescription(id: try DeviceID("north/cam"), driver: "gphoto"), camera: camera),
            raw: RawSettings(isEnabled: isEnabled))
        let services = SessionServices(
            clock: clock, rigClock: AffineRigClock(), spool: spool, executor: try ThreadExecutor(name: "cam")
        ) { [recorder] in recorder.record($0) }
        session = try CaptureSession(SessionConfiguration(input: input), services: services)
    }

    /// Lets the session run for as long as `body` takes.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { [session] in await session.run() }
            await recorder.waitUntilRunning()
            defer { group.cancelAll() }
            try await body()
        }
    }

    func order(_ settings: PhotoSettings, shot number: Int64 = 1) -> CaptureOrder {
        var generator = SeededGenerator(seed: UInt64(number))
        let time = RigTime(nanoseconds: clock.now().nanoseconds) + .seconds(7201)
        return CaptureOrder(
            key: CaptureKey(
                shot: ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator), device: session.device.id
            ), time: time, rigClock: RigClockID(rawValue: "rig-1"), pinnedUntil: time + .seconds(10),
            settings: settings, realtimeAtTime: 1_800_000_000_000_000_000, utcOffsetMinutes: 0)
    }

    func capture(_ settings: PhotoSettings, shot number: Int64 = 1) async throws -> CaptureReport {
        let order = order(settings, shot: number)
        _ = try await session.arm(order).get()
        return try #require(await session.fire(order.key).report)
    }

    func bytes(of kind: AssetKind, _ report: CaptureReport) async throws -> [UInt8] {
        let file = try #require(report.files.first { $0.kind == kind })
        return try await spool.read(
            FileKey(capture: report.key, kind: kind), offset: 0, count: Int(file.byteCount) + 1)
    }
}

extension SessionRecorder {
    fileprivate func waitUntilRunning() async {
        while !states.contains(.running) { await Task.yield() }
    }
}

@Suite("Files of a camera without frames", .timeLimit(.minutes(10)))
struct CameraFileTests {
    private static let raw = CameraRawFile(format: .nef, bytes: Array("II*\0 samples".utf8))
    private static let both = PhotoSettings(raw: .withPhoto)

    private static func jpeg() throws -> [UInt8] {
        let geometry = PlaneGeometry(width: 160, height: 120, subsampling: .gray)
        let luma = [UInt8](repeating: 90, count: 160 * 120)
        let none: [UInt8] = []
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
        return jpeg
    }

    @Test("Stores image and raw file of one exposure as two files of one capture, each as the camera has made it")
    func two() async throws {
        let jpeg = try Self.jpeg()
        let stage = try StillStage([.photoAndRaw(jpeg, Self.raw)])
        try await stage.run {
            let report = try await stage.capture(PhotoSettings(previewSize: 80, raw: .withPhotoWhereEnabled))
            #expect(report.files.map(\.kind) == [.photo, .cameraRaw(.nef), .preview])
            #expect(report.resolved.raw == .cameraFile && report.resolved.rawProblem == nil && report.failed.isEmpty)
            #expect(try await stage.bytes(of: .photo, report) == jpeg)
            #expect(try await stage.bytes(of: .cameraRaw(.nef), report) == Self.raw.bytes)
            #expect(stage.camera.stills.asked == [true])
        }
    }

    @Test("Lets the camera remove its copies when the library has both files, in whichever order")
    func durable() async throws {
        let stage = try StillStage([.photoAndRaw(try Self.jpeg(), Self.raw)])
        try await stage.run {
            for (number, kinds) in [[AssetKind.photo, .cameraRaw(.nef)], [.cameraRaw(.nef), .photo]].enumerated() {
                let report = try await stage.capture(Self.both, shot: Int64(number + 1))
                await stage.session.isDurable(FileKey(capture: report.key, kind: kinds[0]))
                await stage.session.isDurable(FileKey(capture: report.key, kind: kinds[0]))
                #expect(stage.camera.stills.durable.count == number, "half of it is on the card only")
                await stage.session.isDurable(FileKey(capture: report.key, kind: kinds[1]))
                await stage.session.isDurable(FileKey(capture: report.key, kind: kinds[1]))
                #expect(stage.camera.stills.durable == Array(1...UInt64(number + 1)))
            }
        }
    }

    @Test("A raw file that the camera has not stored has failed with the reason, and the photo is stored")
    func noRaw() async throws {
        let stage = try StillStage([.photoAlone(try Self.jpeg(), noRaw: "it has stored 1.JPG alone")])
        try await stage.run {
            let report = try await stage.capture(Self.both)
            #expect(report.files.map(\.kind) == [.photo])
            #expect(report.failed.map(\.kind) == [.alternatePhoto])
            #expect(report.failed.map(\.problem.code) == [.fileLost])
            #expect(report.failed[0].problem.message.contains("1.JPG alone"))
            await stage.session.isDurable(FileKey(capture: report.key, kind: .photo))
            #expect(stage.camera.stills.durable == [1])
        }
    }

    @Test("An image that the camera has not stored has failed with the reason, and the raw file is stored")
    func noPhoto() async throws {
        let stage = try StillStage([.rawAlone(Self.raw, noPhoto: "it has stored 1.NEF alone")])
        try await stage.run {
            let report = try await stage.capture(PhotoSettings(previewSize: 80, raw: .withPhoto))
            #expect(report.files.map(\.kind) == [.cameraRaw(.nef)])
            #expect(report.failed.map(\.kind) == [.photo, .preview])
            #expect(report.failed.allSatisfy { $0.problem.message.contains("1.NEF alone") })
            await stage.session.isDurable(FileKey(capture: report.key, kind: .cameraRaw(.nef)))
            #expect(stage.camera.stills.durable == [1])
        }
    }

    @Test("A torn image has failed, its raw file is stored, and the camera keeps both")
    func torn() async throws {
        let stage = try StillStage([.photoAndRaw([0xFF, 0xD8, 1, 2], Self.raw)])
        try await stage.run {
            let report = try await stage.capture(Self.both)
            #expect(report.files.map(\.kind) == [.cameraRaw(.nef)])
            #expect(report.failed.map(\.kind) == [.photo] && report.failed[0].problem.code == .corrupted)
            await stage.session.isDurable(FileKey(capture: report.key, kind: .cameraRaw(.nef)))
            #expect(stage.camera.stills.durable.isEmpty)
        }
    }

    @Test("Asks for a raw file only in shots that do")
    func unasked() async throws {
        let stage = try StillStage([.photo(try Self.jpeg())])
        try await stage.run {
            let report = try await stage.capture(PhotoSettings())
            #expect(report.files.map(\.kind) == [.photo] && report.resolved.raw == nil)
            #expect(stage.camera.stills.asked == [false])
        }
    }

    @Test(
        "Refuses raw files that are not supported, not enabled, or not possible as they are requested",
        arguments: [
            (false, true, RawPhoto.withPhoto, nil, "makes no raw files"),
            (true, false, .withPhoto, nil, "`raw: true`"),
            (true, true, .only, nil, "--raw+jpeg"),
            (true, true, .withPhoto, RawThumbnailFormat(longerSide: 160), "thumbnail"),
        ] as [(Bool, Bool, RawPhoto, RawThumbnailFormat?, String)])
    func refused(
        _ hasRawFiles: Bool, _ isEnabled: Bool, _ raw: RawPhoto, _ thumbnail: RawThumbnailFormat?, _ reason: String
    ) async throws {
        let stage = try StillStage([.photo(try Self.jpeg())], hasRawFiles: hasRawFiles, isEnabled: isEnabled)
        try await stage.run {
            let problem = await stage.session.arm(
                stage.order(PhotoSettings(raw: raw, rawThumbnail: thumbnail))
            ).failure
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains(reason) == true, "\(String(describing: problem))")
            // Where the photo alone will do, it is taken.
            guard raw != .only else { return }
            let settings = PhotoSettings(raw: .withPhotoWhereEnabled, rawThumbnail: thumbnail)
            let report = try await stage.capture(settings, shot: 2)
            #expect(report.files.map(\.kind) == [.photo] && stage.camera.stills.asked == [false])
            #expect(report.resolved.rawProblem?.message.contains(reason) == true)
        }
    }

    @Test("A spool with room for the photo alone takes it, unless the raw file is required")
    func room() async throws {
        let photo: Int64 = 10_000 * 3 / 2 + 65_536
        let raw: Int64 = 20_000 * 3 / 2 + 65_536
        let stage = try StillStage([.photo(try Self.jpeg())], spoolLimit: photo + raw - 1)
        try await stage.run {
            let settings = PhotoSettings(raw: .withPhoto)
            #expect(await stage.session.arm(stage.order(settings)).failure?.code == .noSpace)
            let report = try await stage.capture(PhotoSettings(raw: .withPhotoWhereEnabled), shot: 2)
            #expect(report.files.map(\.kind) == [.photo] && report.resolved.rawProblem?.code == .noSpace)
        }
    }

    @Test("Tells whether raw files can be requested")
    func abilities() async throws {
        for (hasRawFiles, isEnabled) in [(true, true), (true, false), (false, true)] {
            let stage = try StillStage([.photo(try Self.jpeg())], hasRawFiles: hasRawFiles, isEnabled: isEnabled)
            try await stage.run {
                #expect(await stage.session.abilities.raw.isAllowed == (hasRawFiles && isEnabled))
                #expect(await stage.session.condition.session?.hasRaw == (hasRawFiles && isEnabled))
            }
        }
    }
}
