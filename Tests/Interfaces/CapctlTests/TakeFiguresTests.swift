import CaptureModel
import Testing

@testable import CapctlCommands

/// Why movies of a take differ in length.
@Suite struct TakeFiguresTests {
    /// A take of two whole cameras, of 25 frames a second, and the figures of the second one.
    private func reason(frames: Int, of most: Int, skew: Int64) throws -> String? {
        var take = try SampleShot().shot
        let told = [(most, Int64(0)), (frames, skew)]
        for (index, (count, skew)) in told.enumerated() {
            take.captures[index].movie = RecordedMovie(frameCount: count, durationNanoseconds: 1, end: .stopped)
            take.captures[index].timing?.skewNanoseconds = skew
            take.captures[index].resolved = ResolvedPhotoSettings(
                width: 640, height: 360,
                streamFormat: VideoFormat(
                    pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(40)),
                isCameraEncoded: true, orientation: .degrees0)
        }
        return TakeFigures(take).reason(take.captures[1])
    }

    @Test("a camera that lost its frames of T is said to be slower than it is")
    func lateBeginning() throws {
        #expect(try reason(frames: 42, of: 50, skew: 320_000_000) == "its first frame came 320 ms after T")
        #expect(try reason(frames: 42, of: 50, skew: 20_000_000) == "its frames came more slowly than announced")
        #expect(
            try reason(frames: 49, of: 50, skew: 20_000_000)
                == "its frames fall one fewer time between beginning and end")
        #expect(try reason(frames: 50, of: 50, skew: 0) == nil)
    }
}
