import CaptureTestSupport
import Foundation
import Testing
import TimeCode

/// The checksum of the example in `docs/timecode.md`.
let documentedChecksum: UInt16 = 0xD534

/// The decoder in another language, written from `docs/timecode.md` alone.
@Suite struct InteropTests {
    @Test(
        "A program written from the documentation reads another time",
        .enabled(if: ExternalTool.isExpected("python3") && ExternalTool.isExpected("djpeg")),
        arguments: [(320, 180), (640, 480), (1280, 720), (3840, 2160)])
    func pythonAgrees(width: Int, height: Int) throws {
        let code = TimeCode(
            realtimeNanoseconds: 1_767_319_445_123_456_789, frameNumber: 4_000_000_000, cameraNumber: 513)
        let jpeg = try Picture(width: width, height: height, code: code).jpeg(quality: 50)
        let report = try TemporaryFolder.use { folder in
            let files = try ["whole", "half"].enumerated().map { index, name in
                let jpegFile = folder.appendingPathComponent("\(name).jpg")
                try Data(jpeg).write(to: jpegFile)
                guard index == 1 else { return jpegFile.path }
                let scaled = folder.appendingPathComponent("half.pgm").path
                _ = try ExternalTool.run([
                    "djpeg", "-scale", "1/2", "-grayscale", "-pnm", "-outfile", scaled, jpegFile.path,
                ])
                return scaled
            }
            return try ExternalTool.run(["python3", script] + files)
        }
        #expect(report.status == 0, "\(report.output)")
        let lines = report.output.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            let read = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            #expect(read.realtimeNanoseconds == code.realtimeNanoseconds)
            #expect(read.frameNumber == code.frameNumber && read.cameraNumber == code.cameraNumber)
        }
    }

    @Test(
        "A program written from the documentation reads a time where none is",
        .enabled(if: ExternalTool.isExpected("python3") && ExternalTool.isExpected("djpeg")))
    func pythonRefuses() throws {
        let jpeg = try Picture(width: 640, height: 360, code: nil).jpeg(quality: 80)
        let report = try TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("none.jpg")
            try Data(jpeg).write(to: file)
            return try ExternalTool.run(["python3", script, file.path])
        }
        #expect(report.status == 1 && report.output.contains("noCode"), "\(report.output)")
    }

    private struct Line: Decodable {
        let realtimeNanoseconds: Int64
        let frameNumber: UInt32
        let cameraNumber: UInt16
    }

    private var script: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Interop/timecode_decode.py").path
    }
}
