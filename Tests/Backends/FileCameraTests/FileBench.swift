import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import FileCamera

/// A file camera on a clock that the test moves; 10 images a second unless told otherwise.
struct FileBench {
    let clock: ManualTimeSource
    let camera: FileCamera
    let stream: FileCameraStream
    private var taken: UInt64 = 0

    init(
        _ path: String, loop: Bool = true, phaseMilliseconds: Double = 0, clock: ManualTimeSource = ManualTimeSource()
    ) async throws {
        let configuration = FileCameraConfiguration(
            path: path, framesPerSecond: 10, loop: loop, phaseMilliseconds: phaseMilliseconds)
        try await self.init(FileCamera(name: "file", configuration: configuration), clock: clock)
    }

    init(_ camera: FileCamera, clock: ManualTimeSource) async throws {
        self.clock = clock
        self.camera = camera
        stream = try #require(try await camera.start(FormatRequest(), clock: clock) as? FileCameraStream)
    }

    /// Lets frames become due, one by one, until so many have come.
    mutating func play(_ count: Int) async -> [CameraFrame] {
        await clock.sleepers(atLeast: 1)
        var frames = await takeWaiting()
        while frames.count < count {
            await clock.step()
            await clock.sleepers(atLeast: 1)
            frames += await takeWaiting()
        }
        return frames
    }

    /// The frames that wait.
    mutating func takeWaiting() async -> [CameraFrame] {
        var frames: [CameraFrame] = []
        var iterator = stream.frames.makeAsyncIterator()
        while taken + stream.losses.droppedByNode < stream.report.handedOn, let frame = await iterator.next() {
            frames.append(frame)
            taken += 1
        }
        return frames
    }

    /// Lets frames become due until the stream ends, and returns those that came.
    mutating func playToTheEnd(_ count: Int) async -> [CameraFrame] {
        var frames = await play(count - 1)
        await clock.step()
        for await frame in stream.frames { frames.append(frame) }
        return frames
    }
}
