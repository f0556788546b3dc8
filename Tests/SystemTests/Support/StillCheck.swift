import CaptureModel
import CaptureTestSupport
import Foundation
import Testing
import TimeCode
import TurboJPEG

/// Checks stills by what other programs, and their pixels, say of them.
enum StillCheck {
    /// Every file that ends in `.jpg` in a folder and below, but for a library's small pictures.
    static func stills(in folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".jpg") && !$0.contains(".previews/") }.map { folder + "/" + $0 }.sorted()
    }

    /// Whole images, as `jpeginfo` sees them.
    static func expectWhole(_ files: [String]) async throws {
        guard !files.isEmpty else { return }
        let info = try await tool(["jpeginfo", "-c"] + files)
        #expect(info.status == 0, "\(info.output)\(info.errors)")
        #expect(
            info.output.split(separator: "\n").count { $0.contains(" OK") } == files.count,
            "\(info.output)\(info.errors)")
    }

    /// Metadata without a fault, as `exiftool` sees it.
    static func expectValidMetadata(_ files: [String]) async throws {
        let report = try await tool(["exiftool", "-validate", "-warning", "-a", "-s3"] + files)
        #expect(report.status == 0, "\(report.output)\(report.errors)")
        #expect(
            report.output.split(separator: "\n").count { $0 == "OK" } == files.count, "\(report.output)\(report.errors)"
        )
    }

    /// The bytes announced, as `sha256sum` counts them.
    static func expectDigests(_ files: [ShotAnswer.File]) async throws {
        let stored = files.filter { $0.path != nil }
        guard !stored.isEmpty else { return }
        let sums = try await tool(["sha256sum"] + stored.compactMap(\.path)).output.split(separator: "\n")
        #expect(sums.map { $0.prefix(64).description } == stored.map { $0.sha256 ?? "none" })
    }

    /// The skew that the manifest tells is the one in the pixels, within its bound; and no two pictures are one frame.
    static func expectSkewsInPixels(_ shot: Shot, in folder: String) throws {
        let instant = shot.wallClock.realtimeNanoseconds(at: shot.time)
        var cameras: Set<UInt16> = []
        for capture in shot.captures {
            let path = try #require(capture.files.first?.path, "\(capture.device.id) has no picture")
            let timing = try #require(capture.timing)
            let code = try timeCode(of: folder + "/" + path)
            let error = timing.skewNanoseconds - (code.realtimeNanoseconds - instant)
            #expect(
                abs(error) <= timing.midExposure.boundNanoseconds,
                "\(capture.device.id) says \(timing.skewNanoseconds) ns and is off by \(error) ns")
            #expect(timing.midExposure.boundNanoseconds < 50_000_000, "the bound says nothing")
            #expect(abs(timing.skewNanoseconds) < 100_000_000, "the frame is not of T")
            cameras.insert(code.cameraNumber)
        }
        #expect(cameras.count == shot.captures.count, "two pictures are of one camera")
    }

    static func timeCode(of file: String) throws -> TimeCode {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(bytes.span, into: &image)
        return try TimeCode.decode(
            luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
    }

    private static func tool(_ command: [String]) async throws -> Capctl.Outcome {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            command[0], program: "/usr/bin/env", arguments: command, log: folder.path + "/log")
        return try await Capctl.outcome(of: program)
    }
}
