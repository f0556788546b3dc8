import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Foundation
import ImageMetadata
import Spool
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct RawCaptureTests {
    private static let enabled = RawSettings(isEnabled: true)

    private func stage(_ pixelFormat: PixelFormat? = .rggb10, raw: RawSettings = enabled) throws -> Stage {
        try Stage(pixelFormat: pixelFormat, raw: raw)
    }

    /// Captures the frame of a past T.
    private func capture(_ stage: Stage, _ settings: PhotoSettings, shot: Int64 = 1) async throws -> CaptureReport {
        let order = stage.order(stage.now - .milliseconds(60), shot: shot, settings: settings)
        _ = try await stage.session.arm(order).get()
        let result = await stage.session.fire(order.key)
        return try #require(result.report, "\(result)")
    }

    @Test(
        "A raw file holds other samples than the sensor's at T", .enabled(if: ExternalTool.isExpected("dcraw")),
        arguments: [PixelFormat.rggb8, .bggr10, .grbg10Packed, .gbrg12Packed, .rggb14, .bggr14Packed, .grbg16])
    func rawOnly(_ pixelFormat: PixelFormat) async throws {
        let stage = try stage(pixelFormat)
        try await stage.run {
            await stage.start(frames: 6)
            let report = try await capture(stage, PhotoSettings(raw: .only))
            #expect(report.files.map(\.kind) == [.alternatePhoto])
            let dng = try await stage.bytes(of: .alternatePhoto, report)
            #expect(try rawTimeCode(of: dng).frameNumber == UInt32(report.timing.sequence))
            let raw = try #require(report.resolved.raw?.samples)
            #expect(raw.dimensions == PixelSize(width: 160, height: 120))
            guard case .bayer(_, let bits, _) = pixelFormat.family else { return }
            #expect(raw.bits == bits)
            #expect(stage.recorder.steps(of: report.key).map(\.name).suffix(2) == ["didFinishProcessing", "didFinish"])
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Refuses pictures of samples on a machine that cannot develop them, and says what to install")
    func machineWithoutDeveloper() async throws {
        let stage = try Stage(pixelFormat: .rggb10, raw: Self.enabled, developingObstacle: "install the library")
        try await stage.run {
            await stage.start(frames: 6)
            for settings in [PhotoSettings(), PhotoSettings(raw: .only)] {
                let refusal = await stage.session.arm(stage.order(stage.now, settings: settings)).failure
                #expect(refusal == RigProblem(.unsupportedSettings, "north/cam: install the library"))
            }
            #expect(await stage.session.abilities.photo == .refused("install the library"))
        }
    }

    @Test("Writes a raw file for a camera of odd width or height", arguments: [(161, 120), (160, 121), (163, 121)])
    func oddSize(width: Int, height: Int) async throws {
        let stage = try Stage(pixelFormat: .grbg10Packed, raw: Self.enabled) { ($0.width, $0.height) = (width, height) }
        try await stage.run {
            await stage.start()
            for (shot, raw) in [(1, RawPhoto.only), (2, .withPhoto)] as [(Int64, RawPhoto)] {
                let report = try await capture(stage, PhotoSettings(raw: raw), shot: shot)
                #expect(report.resolved.raw?.samples?.dimensions == PixelSize(width: width, height: height))
                #expect(report.files.contains { $0.kind == .alternatePhoto })
            }
        }
    }

    @Test(
        "Puts the requested picture into the raw file, of at most half of the samples' sides",
        arguments: [
            (RawThumbnailFormat?.none, PixelSize(width: 80, height: 60)),
            (RawThumbnailFormat(), PixelSize(width: 80, height: 60)),
            (RawThumbnailFormat(longerSide: 4096), PixelSize(width: 80, height: 60)),
            (RawThumbnailFormat(longerSide: 40), PixelSize(width: 40, height: 30)),
            (RawThumbnailFormat(longerSide: 16), PixelSize(width: 10, height: 8)),
            (RawThumbnailFormat(codec: .none), nil),
        ] as [(RawThumbnailFormat?, PixelSize?)])
    func thumbnail(format: RawThumbnailFormat?, size: PixelSize?) async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start()
            for (shot, raw) in [(1, RawPhoto.only), (2, .withPhoto)] as [(Int64, RawPhoto)] {
                let report = try await capture(stage, PhotoSettings(raw: raw, rawThumbnail: format), shot: shot)
                #expect(report.resolved.raw?.samples?.embeddedThumbnail == size)
                let file = try await stage.bytes(of: .alternatePhoto, report)
                let place = TIFFPreview.jpeg(in: file)
                guard let size else {
                    #expect(place == nil)
                    continue
                }
                let found = try #require(place)
                let jpeg = Array(file[Int(found.offset)..<Int(found.offset) + found.byteCount])
                let picture = try JPEGDecoder().verify(jpeg)
                #expect((picture.width, picture.height) == (size.width, size.height))
            }
            let alone = PhotoSettings(rawThumbnail: RawThumbnailFormat())
            let refusal = await stage.session.arm(stage.order(stage.now, shot: 3, settings: alone)).failure
            #expect(refusal?.code == .unsupportedSettings && refusal?.message.contains("no raw file") == true)
        }
    }

    @Test(
        "Raw file, photo and preview are of different exposures, or one of them is missing",
        .enabled(if: ExternalTool.isExpected("dcraw")))
    func rawAndPhoto() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start(frames: 6)
            let settings = PhotoSettings(embedThumbnail: .whole, previewSize: 160, raw: .withPhoto)
            let report = try await capture(stage, settings)
            #expect(report.files.map(\.kind) == [.photo, .alternatePhoto, .preview])
            #expect(report.files.map(\.kind) == settings.assetKinds)
            let raw = try await rawTimeCode(of: stage.bytes(of: .alternatePhoto, report))
            #expect(raw.frameNumber == UInt32(report.timing.sequence))
            #expect(try await timeCode(of: stage.still(report)) == raw)
            #expect(try await timeCode(of: stage.bytes(of: .preview, report)) == raw)
        }
    }

    @Test(
        "A camera that delivers its sensor's mosaic has no stills, or they show another scene",
        arguments: TestExtent.some(6, of: PixelFormat.allCases.filter(\.family.isMosaic)))
    func developed(_ pixelFormat: PixelFormat) async throws {
        let expected = try await scene(stage(nil, raw: RawSettings()), ofFrame: 16)
        let developed = try await scene(stage(pixelFormat, raw: RawSettings()), ofFrame: 16)
        let differences = zip(expected, developed).map { abs(Int($0) - Int($1)) }
        // What demosaicing makes of edges. A scene that is one frame off differs by 3 and more.
        #expect(differences.reduce(0, +) / differences.count < 2)
    }

    /// Luma of the still of the camera's frame `number`, every one under the same time code.
    private func scene(_ stage: Stage, ofFrame number: Int) async throws -> [UInt8] {
        var image = LumaImage()
        try await stage.run {
            await stage.start(frames: 6)
            let near = try await capture(stage, PhotoSettings()).timing
            let distance = Stage.period * (number - Int(near.sequence))
            await stage.pass(distance)
            let order = stage.order(near.midExposure.time + distance, shot: 2)
            _ = try await stage.session.arm(order).get()
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(report.files.map(\.kind) == [.photo])
            let still = try await stage.still(report)
            let code = try timeCode(of: still)
            #expect(UInt64(code.frameNumber) == report.timing.sequence)
            #expect(Int(code.frameNumber) == number)
            try JPEGDecoder().decodeLuma(still, into: &image)
        }
        #expect((image.width, image.height) == (160, 120))
        var luma = image.bytes
        let code = TimeCode(realtimeNanoseconds: 0, frameNumber: 0, cameraNumber: 0)
        try TimeCodeLayout(width: image.width, height: image.height).draw(code, into: &luma, stride: image.width)
        return luma
    }

    @Test("Refuses RAW that is not enabled, and names the level")
    func levels() async throws {
        let cases: [(PixelFormat?, RawSettings, PhotoSettings, String)] = [
            (.rggb10, RawSettings(), PhotoSettings(raw: .only), "supported but not enabled: set `raw: true`"),
            (nil, Self.enabled, PhotoSettings(raw: .only), "not supported: RAW needs a sensor's raw mosaic"),
            (nil, RawSettings(), PhotoSettings(raw: .withPhoto), "the camera delivers MJPG"),
            (
                .rggb10, Self.enabled, PhotoSettings(bracket: [BracketStep(gain: 1)], raw: .withPhoto),
                "not supported for a bracket"
            ),
            (.rggb10, Self.enabled, PhotoSettings(flash: .auto), "flash auto is not supported for a raw mosaic"),
            (
                .rggb10, RawSettings(isEnabled: true, whiteLevel: 4095), PhotoSettings(),
                "samples of 10 bits reach to 1023"
            ),
            (
                .rggb10, RawSettings(isEnabled: true, blackLevel: 1023), PhotoSettings(raw: .only),
                "`blackLevel` 1023"
            ),
        ]
        for (format, raw, settings, reason) in cases {
            let stage = try stage(format, raw: raw)
            try await stage.run {
                await stage.start()
                let order = stage.order(stage.now + .seconds(2), settings: settings)
                let problem = await stage.session.arm(order).failure
                #expect(problem?.code == .unsupportedSettings)
                #expect(problem?.message.contains(reason) == true, "\(String(describing: problem))")
                #expect(stage.recorder.steps(of: order.key).isEmpty)
                #expect(await stage.spool.usage().reservedBytes == 0)
            }
        }
    }

    @Test func `a camera without RAW takes the photo alone where that will do, and says why`() async throws {
        for (format, raw, reason) in [
            (PixelFormat.rggb10 as PixelFormat?, RawSettings(), "not enabled: set `raw: true`"),
            (nil, Self.enabled, "the camera delivers MJPG"),
        ] {
            let stage = try stage(format, raw: raw)
            try await stage.run {
                await stage.start(frames: 6)
                #expect(await stage.session.condition.session?.hasRaw == false)
                let report = try await capture(stage, PhotoSettings(raw: .withPhotoWhereEnabled))
                #expect(report.files.map(\.kind) == [.photo] && report.resolved.raw == nil)
                #expect(report.resolved.rawProblem?.message.contains(reason) == true)
            }
        }
        let stage = try stage()
        try await stage.run {
            await stage.start(frames: 6)
            #expect(await stage.session.condition.session?.hasRaw == true)
            let report = try await capture(stage, PhotoSettings(raw: .withPhotoWhereEnabled))
            #expect(report.files.map(\.kind) == [.photo, .alternatePhoto] && report.resolved.rawProblem == nil)
        }
    }

    @Test func `a spool with room for the photo alone takes it, unless RAW is required`() async throws {
        // Half as much again as the samples in two bytes each, and 64 KiB, for each of the two files.
        let room: Int64 = 57_600 + 65_536
        for (raw, isTaken) in [(RawPhoto.withPhotoWhereEnabled, true), (RawPhoto.withPhoto, false)] {
            let stage = try Stage(spoolLimit: room + room / 2, pixelFormat: .rggb10, raw: Self.enabled)
            try await stage.run {
                await stage.start(frames: 6)
                let order = stage.order(stage.now - .milliseconds(60), settings: PhotoSettings(raw: raw))
                let answer = await stage.session.arm(order)
                #expect((answer.failure == nil) == isTaken)
                guard isTaken else {
                    #expect(answer.failure?.code == .noSpace)
                    return
                }
                let resolved = try answer.get()
                #expect(resolved.raw == nil && resolved.rawProblem?.code == .noSpace)
                #expect(await stage.session.fire(order.key).report?.files.map(\.kind) == [.photo])
                #expect(await stage.spool.usage().reservedBytes == 0)
            }
        }
    }

    @Test("Tells which raw photos can be requested")
    func abilities() async throws {
        for (format, raw, reason) in [
            (PixelFormat.rggb10 as PixelFormat?, Self.enabled, nil as String?), (.rggb10, RawSettings(), "not enabled"),
            (nil, Self.enabled, "not supported"),
        ] {
            let stage = try stage(format, raw: raw)
            try await stage.run {
                await stage.start()
                let ability = await stage.session.abilities.raw
                #expect(ability.isAllowed == (reason == nil))
                #expect(reason.map { ability.reason?.contains($0) == true } ?? (ability.reason == nil))
                #expect(await stage.session.abilities.photo.isAllowed)
            }
        }
    }

    @Test("Bounds the memory of samples, and keeps those of armed shots")
    func boundedAndPinned() async throws {
        let frame = 160 * 120 * 2
        var policy = SessionPolicy()
        policy.ringByteLimit = frame * 11
        let stage = try Stage(policy: policy, pixelFormat: .rggb10, raw: Self.enabled)
        try await stage.run {
            await stage.start(frames: 30)
            #expect(await stage.session.ringReach == Stage.period * 10)
            let order = stage.order(stage.now - .milliseconds(60), settings: PhotoSettings(raw: .only))
            _ = try await stage.session.arm(order).get()
            let full = stage.order(stage.now - .milliseconds(60), shot: 2)
            _ = try await stage.session.arm(full).get()
            let third = await stage.session.arm(stage.order(stage.now - .milliseconds(60), shot: 3))
            #expect(third.failure?.code == .noMemory)
            await stage.advance(frames: 30)
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
        }
    }

    @Test("Writes a raw file for each of several overlapping captures")
    func overlapping() async throws {
        let stage = try stage()
        try await stage.run {
            await stage.start(frames: 8)
            let orders = (1...4).map {
                stage.order(stage.now - .milliseconds(20 * $0), shot: $0, settings: PhotoSettings(raw: .withPhoto))
            }
            for order in orders { _ = try await stage.session.arm(order).get() }
            let reports = await withTaskGroup(of: CaptureReport?.self) { group in
                for order in orders { group.addTask { await stage.session.fire(order.key).report } }
                var reports: [CaptureReport] = []
                for await case let report? in group { reports.append(report) }
                return reports
            }
            #expect(reports.count == 4)
            for report in reports { #expect(report.files.map(\.kind) == [.photo, .alternatePhoto]) }
        }
    }

    @Test(
        "The configured colors and levels are not those of the raw file",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func configured() async throws {
        let settings = RawSettings(
            isEnabled: true, compression: .none, colorMatrix: [0.5, 0, 0, 0, 0.25, 0, 0, 0, 0.125],
            asShotNeutral: [0.5, 1, 0.25], blackLevel: 16, whiteLevel: 1000)
        let stage = try stage(raw: settings)
        try await stage.run {
            await stage.start()
            let report = try await capture(stage, PhotoSettings(raw: .only))
            let folder = try TemporaryFolder()
            let file = try folder.write(try await stage.bytes(of: .alternatePhoto, report), as: "a.dng")
            let tags = [
                "ColorMatrix1", "AsShotNeutral", "BlackLevel", "WhiteLevel", "SubIFD:Compression", "Model",
                "CameraSerialNumber",
            ]
            let said = try ExternalTool.run(["exiftool", "-s3"] + tags.map { "-\($0)" } + [file]).output
            #expect(
                said.split(separator: "\n").map(String.init) == [
                    "0.5 0 0 0 0.25 0 0 0 0.125", "0.5 1 0.25", "16", "1000", "Uncompressed", "Virtual camera",
                    "V00001 \(report.key.device)",
                ])
        }
    }

    /// The time code in a raw file's samples, as dcraw reads them.
    private func rawTimeCode(of dng: [UInt8]) throws -> TimeCode {
        let folder = try TemporaryFolder()
        let file = try folder.write(dng, as: "a.dng")
        let map = "\(folder.path)/a.pgm"
        let said = try ExternalTool.run(["sh", "-c", "dcraw -D -4 -t 0 -c \"$0\" > \"$1\"", file, map])
        #expect(said.status == 0 && said.output.isEmpty, "\(said.output)")
        // After the header two bytes a sample, the higher first.
        let samples = try Data(contentsOf: URL(filePath: map)).suffix(160 * 120 * 2)
        let words = samples.enumerated().reduce(into: [UInt16](repeating: 0, count: 160 * 120)) { words, byte in
            words[byte.offset / 2] = words[byte.offset / 2] << 8 | UInt16(byte.element)
        }
        let brightest = Int(words.max() ?? 1)
        let luma = words.map { UInt8(Int($0) * 255 / max(brightest, 1)) }
        return try TimeCode.decode(luma: luma.span, width: 160, height: 120, stride: 160)
    }
}
