import CaptureTestSupport
import Foundation
import Testing
import TimeCode

/// Checks raw files by what dcraw and LibRaw read from them.
enum RawCheck {
    /// The time code in a mosaic's samples, as dcraw reads them and LibRaw does too.
    static func timeCode(of file: String, width: Int, height: Int) async throws -> TimeCode {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/copy.dng"
        let script = #"dcraw -D -4 -t 0 -c "$0" > "$1.dcraw.pgm" && cp "$0" "$1" && unprocessed_raw -q "$1""#
        let made = try await LivePhotoCheck.tool(["sh", "-c", script, file, copy])
        #expect(made.status == 0, "\(made.errors)")
        let dcraw = try await samples(of: copy + ".dcraw.pgm")
        #expect(try await dcraw == samples(of: copy + ".pgm"), "\(file): LibRaw reads other samples than dcraw")
        return try TimeCode.decode(luma: dcraw.span, width: width, height: height, stride: width)
    }

    private static func samples(of image: String) async throws -> [UInt8] {
        let raw = image + ".gray"
        let made = try await LivePhotoCheck.tool([
            "ffmpeg", "-nostdin", "-y", "-v", "error", "-i", image, "-f", "rawvideo", "-pix_fmt", "gray", raw,
        ])
        #expect(made.status == 0, "\(made.errors)")
        return [UInt8](try Data(contentsOf: URL(filePath: raw)))
    }
}
