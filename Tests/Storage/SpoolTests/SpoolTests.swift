import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Testing

@testable import Spool

@Suite struct SpoolTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a stored capture can be read back, also after a restart`() async throws {
        let bytes = Samples.bytes(5000)
        var spool: Spool? = try Samples.spool(folder)
        let report = try await spool?.store(Samples.key(), bytes)
        #expect(
            report?.files == [SpooledFile(kind: .photo, byteCount: 5000, digest: try #require(Samples.digest(bytes)))])
        #expect(report?.timing == Samples.timing)
        spool = nil

        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory() == [try #require(report)])
        #expect(try await reopened.report(of: Samples.key()) == report)
        #expect(try await reopened.report(of: Samples.key(2)) == nil)
        #expect(reopened.startupFindings == [])
        #expect(try await reopened.read(Samples.photo(), offset: 0, count: 4096) == Array(bytes[..<4096]))
        #expect(try await reopened.read(Samples.photo(), offset: 4096, count: 4096) == Array(bytes[4096...]))
        #expect(try await reopened.read(Samples.photo(), offset: 9999, count: 1) == [])
        #expect(await reopened.usage().storedBytes == 5000)
    }

    @Test func `storing a capture again keeps the first one`() async throws {
        let spool = try Samples.spool(folder)
        let first = try await spool.store(Samples.key(), Samples.bytes(100))
        let reservation = try await spool.reserve(byteCount: 1000)
        #expect(try await spool.store(Samples.key(), Samples.bytes(100, seed: 7), reservation: reservation) == first)
        #expect(try await spool.read(Samples.photo(), offset: 0, count: 100) == Samples.bytes(100))
        #expect(await spool.usage().reservedBytes == 0)
        #expect(await spool.usage().storedBytes == 100)
    }

    @Test func `only what the library stored is released`() async throws {
        let spool = try Samples.spool(folder)
        let report = try await spool.store(Samples.key(), Samples.bytes(100))
        try await spool.store(Samples.key(2), Samples.bytes(50))
        let other = try #require(Samples.digest([1]))
        let problem = await #expect(throws: SpoolError.self) {
            try await spool.release(Samples.photo(), digest: other)
        }
        #expect(problem?.code == .conflict && problem?.operation == "release")
        for part in [try "\(Samples.photo())", "\(other)", "\(report.files[0].digest)"] {
            #expect(problem?.description.contains(part) == true)
        }
        #expect(await spool.inventory().count == 2)

        try await spool.release(Samples.photo(), digest: report.files[0].digest)
        try await spool.release(Samples.photo(), digest: report.files[0].digest)
        #expect(await spool.inventory().map(\.key) == [try Samples.key(2)])
        #expect(await spool.usage().storedBytes == 50)
        #expect(try folder.names("captures").count == 2)
        let lost = await #expect(throws: SpoolError.self) {
            try await spool.read(Samples.photo(), offset: 0, count: 1)
        }
        #expect(lost?.code == .notFound && lost?.description.contains(folder.path) == true)
    }

    @Test func `an armed camera has room when it stores, whoever else asks`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1000)
        let reservation = try await spool.reserve(byteCount: 600)
        await expectNoSpace { _ = try await spool.reserve(byteCount: 401) }
        await expectNoSpace { try await spool.store(Samples.key(2), Samples.bytes(401)) }
        try await spool.store(Samples.key(), Samples.bytes(600), reservation: reservation)
        let second = try await spool.reserve(byteCount: 400)
        await spool.cancel(second)
        await spool.cancel(second)
        #expect(await spool.usage().reservedBytes == 0)
        _ = try await spool.reserve(byteCount: 400)
    }

    @Test func `a capture larger than its reservation is stored only where there is room`() async throws {
        let spool = try Samples.spool(folder, limitBytes: 1000)
        let small = try await spool.reserve(byteCount: 10)
        try await spool.store(Samples.key(), Samples.bytes(900), reservation: small)
        let other = try await spool.reserve(byteCount: 10)
        await expectNoSpace { try await spool.store(Samples.key(2), Samples.bytes(101), reservation: other) }
        #expect(await spool.inventory().count == 1)
    }

    @Test func `space kept free for others is not taken`() async throws {
        let spool = try Samples.spool(folder, limitBytes: .max, reserveFreeBytes: .max / 2)
        await expectNoSpace { _ = try await spool.reserve(byteCount: 1) }
        let absurd = await #expect(throws: SpoolError.self) { try await spool.reserve(byteCount: -1) }
        #expect(absurd?.code == .invalidRequest)
    }

    @Test func `two agents do not share a spool`() throws {
        let spool = try Samples.spool(folder)
        #expect(throws: FolderInUse.self) { try Samples.spool(folder) }
        withExtendedLifetime(spool) {}
    }

    @Test func `a file somebody removed is reported lost`() async throws {
        let spool = try Samples.spool(folder)
        try await spool.store(Samples.key(), Samples.bytes(100))
        try FileManager.default.removeItem(atPath: "\(folder.path)/captures/\(Samples.key().fileStem).photo.jpg")
        let lost = await #expect(throws: SpoolError.self) {
            try await spool.read(Samples.photo(), offset: 0, count: 1)
        }
        #expect(lost?.code == .notFound && lost?.operation == "read")
        #expect(try lost?.description.contains("\(Samples.key().fileStem).photo.jpg") == true)
    }

    private func expectNoSpace(_ work: () async throws -> Void) async {
        let problem = await #expect(throws: SpoolError.self) { try await work() }
        #expect(problem?.code == .noSpace)
        #expect(problem?.description.contains(folder.path) == true)
    }
}

extension CaptureKey {
    /// How the documentation of the spool says its files are called.
    var fileStem: String { "\(shot).\(device.node).\(device.device)" }
}

/// What a spool's JSON files are, bit for bit: other programs and other versions of this one have written and will read them.
@Suite struct SpoolDocumentTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    private func written(_ name: String) throws -> String {
        let file = Self.tests.appending(path: "Documents/\(name).json")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    /// A capture whose files are of these kinds.
    private func report(_ kinds: [AssetKind]) throws -> CaptureReport {
        let digest = try #require(ContentDigest(bytes: (0..<32).map { UInt8($0) }))
        return CaptureReport(
            key: try Samples.key(), resolved: Samples.resolved, timing: Samples.timing,
            files: kinds.map { SpooledFile(kind: $0, byteCount: .max, digest: digest) })
    }

    var clip: ClipTiming {
        ClipTiming(
            localStart: LocalTime(nanoseconds: 1),
            start: BoundedRigTime(time: RigTime(nanoseconds: -2), bound: .microseconds(9)),
            frameOffsets: [0, 33_366_667], stillFrame: 1, durationNanoseconds: 66_733_334, missingFrames: 0,
            silences: [ClipSilence(startNanoseconds: 0, durationNanoseconds: 20, cause: .tooOld)])
    }

    private let problem = RigProblem(.encoderFailed, "ffmpeg says \"no\" / ä")

    func capture(_ name: String) throws -> CaptureReport {
        var capture = try report([.photo])
        switch name {
        case "clip":
            (capture.owed, capture.clip) = ([.pairedVideo, .motionPhoto], clip)
        case "failed":
            capture.failed = [FailedFile(kind: .pairedVideo, problem: problem)]
            capture.files[0].shortfall = problem
            capture.streamGap = StreamGap(localStart: LocalTime(nanoseconds: 3), nanoseconds: 5)
        case "recording":
            let second = try #require(SegmentNumber(2))
            capture = try report(AssetKind.ofMovie)
            capture.owed = AssetKind.ofRecording(second)
            capture.recorded = RecordingTally()
            capture.recorded?.segmentCount = 1
        case "movie":
            capture = try report(AssetKind.ofMovie)
            capture.movie = RecordedMovie(frameCount: 3, durationNanoseconds: 100, end: .interrupted, problem: problem)
        default: break
        }
        return capture
    }

    @Test(arguments: ["photo", "clip", "failed", "recording", "movie"])
    func `the record of a capture is the same in every program`(_ name: String) throws {
        let capture = try capture(name)
        let text = String(decoding: try CaptureManifest(capture: capture).encoded(), as: UTF8.self)
        #expect(try text == written("capture.\(name)"))
        guard case .whole(let read) = CaptureManifest.read(Array(try written("capture.\(name)").utf8)) else {
            throw SpoolDocumentProblem()
        }
        #expect(read == capture)
    }

    @Test func `what is still to be made of a capture is the same in every program`() throws {
        var work = DeferredWork(
            key: try Samples.key(), kinds: [.pairedVideo, .motionPhoto], clipCodec: .h264, clip: clip)
        (work.attempts, work.byteCount) = (["pairedVideo": 2, "motionPhoto": 0], 1 << 40)
        let still = DeferredWork(key: try Samples.key(2), kinds: [.photoHEIC])
        for (name, work) in [("work.clip", work), ("work.still", still)] {
            #expect(String(decoding: try work.encoded(), as: UTF8.self) == (try written(name)))
            #expect(DeferredWork(Array(try written(name).utf8)) == work)
        }
    }

    @Test func `the controls of a camera are the same in every program`() throws {
        let values: [String: Int64] = ["exposure_time_absolute": 157, "gain": -.max, "auto_exposure": 3]
        let text = String(decoding: try KeptControls(values: values).encoded(), as: UTF8.self)
        #expect(try text == written("controls"))
        #expect(KeptControls(Array(try written("controls").utf8))?.values == values)
    }

    @Test func `settings of a camera are kept as they are, and a damaged file is set aside`() async throws {
        let device = try DeviceID("n1/cam1")
        let waiting = DeferredSettings(
            id: try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e70")),
            settings: try CaptureSettings(parsing: "exposure=8ms gain=40%"))
        let desired = DesiredSettings(
            revision: SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"), make: "Caprig", model: nil,
            values: ["gain": -.max, "auto_exposure": 1], deferred: [waiting])
        let folder = try TemporaryFolder()
        func opened() throws -> Spool {
            try Spool(
                folder: folder.path, limitBytes: 1 << 20, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"))
        }
        var spool: Spool? = try opened()
        #expect(try await spool?.desired(of: device) == nil && spool?.mayKeepDesired(of: device) == false)
        try await spool?.keepDesired(desired, of: device)
        spool = nil
        spool = try opened()
        #expect(try await spool?.desired(of: device) == desired && spool?.mayKeepDesired(of: device) == true)
        let path = "settings/n1.cam1.json"
        let text = String(decoding: try folder.read(path), as: UTF8.self)
        #expect(try text == written("settings"))
        // Of a camera that is to have nothing.
        let givenUp = DesiredSettings(revision: nil, make: nil, model: nil, values: [:], givenUp: [waiting.id])
        try await spool?.keepDesired(givenUp, of: device)
        #expect(try await spool?.desired(of: device) == givenUp)
        try folder.write(String(text.dropLast(9)), to: path)
        let problem = await #expect(throws: SpoolError.self) { _ = try await spool?.desired(of: device) }
        #expect(problem?.description.contains("n1/cam1 does not get its settings again") == true)
        #expect(try folder.names("settings") == [] && folder.names("damaged") == ["settings.n1.cam1.json"])
        #expect(try await spool?.desired(of: device) == nil)
        try await spool?.keepDesired(nil, of: device)
        #expect(try folder.names("settings") == [])
    }

    @Test(
        .enabled(if: ExternalTool.isExpected("xz")),
        arguments: [("open-shots", 8), ("spools", 7), ("placed", 4), ("kept", 5)])
    func `what an earlier program has written into a spool is written again bit for bit`(_ name: String, _ count: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let archive = Self.tests.appending(path: "../../Fixtures/\(name).tar.xz")
        let outcome = try ExternalTool.run(
            "tar", "-xJf", archive.path(percentEncoded: false), "-C", folder.path, "--wildcards", "*.spool/*.json")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { $0.hasSuffix(".json") }
        try #require(files.count == count, "\(outcome.output)")
        for path in files {
            let bytes = try folder.read(path)
            #expect(try rewritten(bytes, path) == bytes, "\(path)")
        }
    }

    private func rewritten(_ bytes: [UInt8], _ path: String) throws -> [UInt8]? {
        if path.hasSuffix(".work.json") { return try DeferredWork(bytes)?.encoded() }
        if path.contains("/controls/") { return try KeptControls(bytes)?.encoded() }
        guard case .whole(let capture) = CaptureManifest.read(bytes) else { return nil }
        return try CaptureManifest(capture: capture).encoded()
    }
}

private struct SpoolDocumentProblem: Error {}
