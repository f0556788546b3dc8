import CaptureTestSupport
import Foundation
import Testing
import TimeCode

/// Checks the sound of clips and movies of virtual cameras, whose pictures say when they were exposed.
enum SoundCheck {
    /// Every whole second is to be heard when the pictures show it, to 10 ms, and no sample is silence that was put in.
    static func expectTogether(_ movie: String, marks count: Int) async throws {
        let folder = try TemporaryFolder()
        let (picture, sound) = (folder.path + "/first.jpg", folder.path + "/sound.raw")
        _ = try await output([
            "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f",
            "image2", picture,
        ])
        _ = try await output([
            "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:a:0", "-ac", "1", "-ar", "48000", "-f",
            "s16le", sound,
        ])
        let first = try await output([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            "-read_intervals", "%+#1", movie,
        ])
        let time = try #require(Double(first.prefix { $0 != "\n" && $0 != "," }), "\(movie): \(first)")
        let start = try StillCheck.timeCode(of: picture).realtimeNanoseconds - Int64(time * 1e9)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: sound)))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        // The noise between marks is never 0; a mark passes through it, one sample at a time.
        let silence = samples.split { $0 != 0 }.map(\.count).max() ?? 0
        #expect(silence < 4, "\(movie): \(silence) samples in a row are silence, of \(samples.count)")
        // One that the beginning cuts off has no beginning of its own.
        let marks = HeardMark.all(in: samples, rate: 48_000).filter { $0.frame > 48 }
        #expect(marks.count >= count, "\(movie): \(marks.count) marks in \(samples.count) samples")
        for mark in marks {
            let instant = start + Int64(mark.frame) * 1_000_000_000 / 48_000
            let offset = (instant + 500_000_000) % 1_000_000_000 - 500_000_000
            #expect(abs(offset) < 10_000_000, "\(movie): a mark is heard \(offset) ns from where the pictures have it")
        }
    }

    private static func output(_ command: [String]) async throws -> String {
        let outcome = try await LivePhotoCheck.tool(command)
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        return outcome.output
    }
}
