import CaptureModel
import CaptureTestSupport
import RigDocuments
import Testing

@Suite struct ShotFiguresTests {
    @Test("Takes latencies from the manifest")
    func latencies() throws {
        let figures = ShotFigures(try SampleShot().shot)
        // T is 1 s, the last frame left its driver at 1.050 s, the last file was durable at 1.200 s.
        #expect(figures.timeToDurable == .milliseconds(200))
        #expect(figures.dequeueToDurable == .milliseconds(150))
    }
}

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

    @Test("Reports lost frames of T apart from a camera's speed")
    func lateBeginning() throws {
        #expect(try reason(frames: 42, of: 50, skew: 320_000_000) == "its first frame is 320 ms after T")
        #expect(try reason(frames: 42, of: 50, skew: 20_000_000) == "its frames arrived more slowly than announced")
        #expect(
            try reason(frames: 49, of: 50, skew: 20_000_000)
                == "one frame fewer fits between its beginning and its end")
        #expect(try reason(frames: 50, of: 50, skew: 0) == nil)
    }

    @Test("Says the rate at which a camera's frames arrived, not the one that its format states")
    func dimLight() throws {
        var take = try SampleShot().shot
        // 10 s at 30 and at 7.5 frames per second; the second camera's first frame is 60 ms after T.
        for (index, (count, interval, skew)) in [(301, 33_333_333, 0), (76, 133_333_333, 60_000_000)].enumerated() {
            take.captures[index].movie = RecordedMovie(
                frameCount: count, durationNanoseconds: Int64(skew + (count - 1) * interval), end: .stopped)
            take.captures[index].timing?.skewNanoseconds = Int64(skew)
            take.captures[index].resolved = ResolvedPhotoSettings(
                width: 640, height: 360,
                streamFormat: VideoFormat(
                    pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_333_333)),
                isCameraEncoded: true, orientation: .degrees0)
        }
        #expect(
            TakeFigures(take).reason(take.captures[1])
                == "it records 7.5 frames per second, and its format says 30.0")
        #expect(TakeFigures(take).reason(take.captures[0]) == nil)
    }
}
