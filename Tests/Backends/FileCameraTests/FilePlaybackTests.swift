import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import TurboJPEG

@testable import FileCamera

@Suite("File camera: playing", .timeLimit(.minutes(10)))
struct FilePlaybackTests {
    private let second: Int64 = 1_000_000_000

    @Test("Plays the recorded images in order", arguments: [true, false])
    func images(fromFolder: Bool) async throws {
        // More than nine, so that the order of letters would be another one.
        let recording = try RecordedImages(count: 12)
        var bench = try await FileBench(fromFolder ? try recording.folder() : try recording.file(), loop: false)
        let frames = await bench.playToTheEnd(12)
        #expect(frames.map(\.lease.bytes) == recording.images)
        #expect(frames.map(\.sequence) == Array(0..<12))
        #expect(bench.stream.format.description == "MJPG 64x48 10 fps")
    }

    @Test("Ends a recording that does not loop without a fault")
    func end() async throws {
        let recording = try RecordedImages(count: 2)
        var bench = try await FileBench(try recording.file(), loop: false)
        #expect(await bench.playToTheEnd(2).count == 2)
        #expect(bench.stream.failure?.code == .absent)
        #expect(bench.stream.failure?.reason.contains("played to its end") == true)
        let (camera, clock) = (bench.camera, bench.clock)
        let error = await #expect(throws: CameraError.self) { try await camera.start(FormatRequest(), clock: clock) }
        #expect(error?.code == .absent)
        #expect(error?.reason.contains("loop: true") == true)
    }

    @Test("Plays a stopped recording again from its beginning")
    func restart() async throws {
        let recording = try RecordedImages(count: 3)
        var bench = try await FileBench(try recording.file(), loop: false)
        #expect(await bench.play(2).map(\.lease.bytes) == Array(recording.images[0..<2]))
        await bench.stream.stop()
        var again = try await FileBench(bench.camera, clock: bench.clock)
        #expect(await again.playToTheEnd(3).map(\.lease.bytes) == recording.images)
    }

    @Test("Continues numbers and stamps over each round")
    func rounds() async throws {
        let recording = try RecordedImages(count: 3)
        var bench = try await FileBench(
            try recording.file(), clock: ManualTimeSource(start: LocalTime(nanoseconds: 3 * second)))
        let frames = await bench.play(8)
        await bench.stream.stop()
        #expect(frames.map(\.sequence) == Array(0..<8))
        // The clock stands at 3 s, frame number 30 of the grid: the first image.
        #expect(frames.map(\.lease.bytes) == [0, 1, 2, 0, 1, 2, 0, 1].map { recording.images[$0] })
        #expect(frames.map(\.midExposure.nanoseconds) == (0..<8).map { 3 * second + $0 * second / 10 })
        #expect(frames.allSatisfy { $0.dequeued == $0.midExposure && $0.exposure == nil })
        #expect(frames.allSatisfy { $0.stampBound == .milliseconds(50) })
        #expect(bench.stream.losses == FrameCounters())
    }

    @Test("Shows images of the same time whenever each camera starts")
    func inStep() async throws {
        let recording = try RecordedImages(count: 5)
        let clock = ManualTimeSource(start: LocalTime(nanoseconds: 7_123_456_789))
        var first = try await FileBench(try recording.file(), clock: clock)
        _ = await first.play(3)
        await first.stream.stop()
        var second = try await FileBench(try recording.folder(), clock: clock)
        let frames = await second.play(4)
        await second.stream.stop()
        // The grid's numbers are counted from the clock's zero: 7.2 s is 72.
        #expect(frames.map(\.midExposure.nanoseconds) == [74, 75, 76, 77].map { $0 * self.second / 10 })
        #expect(frames.map(\.lease.bytes) == [74, 75, 76, 77].map { recording.images[$0 % 5] })
    }

    @Test("Applies the phase")
    func phase() async throws {
        let recording = try RecordedImages(count: 2)
        let clock = ManualTimeSource(start: LocalTime(nanoseconds: second))
        var bench = try await FileBench(try recording.file(), phaseMilliseconds: 12.5, clock: clock)
        let frames = await bench.play(2)
        await bench.stream.stop()
        #expect(frames.map(\.midExposure.nanoseconds) == [1_012_500_000, 1_112_500_000])
    }

    @Test("Skips and counts the images of a delay")
    func late() async throws {
        let recording = try RecordedImages(count: 30)
        let configuration = FileCameraConfiguration(path: try recording.file(), framesPerSecond: 10)
        let clock = LateClock(start: LocalTime(nanoseconds: 9 * second), late: .milliseconds(1800))
        let stream = try await FileCamera(name: "late", configuration: configuration).start(
            FormatRequest(), clock: clock)
        var frames: [CameraFrame] = []
        for await frame in stream.frames {
            frames.append(frame)
            if frames.count == 4 { break }
        }
        #expect(frames.map(\.sequence) == [0, 1, 2, 20])
        #expect(frames.map(\.lease.bytes) == [0, 1, 2, 20].map { recording.images[$0] })
        #expect(frames.last?.midExposure == LocalTime(nanoseconds: 11 * second))
        #expect(stream.losses.droppedByDevice == 17)
        #expect(stream.losses.droppedByNode == 0)
        await stream.stop()
    }

    @Test(
        "A file that changes while it is played is shown torn, crashes the agent, or ends the stream without a reason")
    func changed() async throws {
        let recording = try RecordedImages(count: 4)
        var bench = try await FileBench(try recording.folder())
        _ = await bench.play(1)
        for name in 1...4 { try recording.place.write([0xFF, 0xD8, 0xFF], as: "\(name).jpg") }
        var rest: [CameraFrame] = []
        await bench.clock.step()
        for await frame in bench.stream.frames { rest.append(frame) }
        #expect(rest.count <= 1, "one was read ahead")
        #expect(bench.stream.failure?.code == .failed)
        #expect(bench.stream.failure?.reason.contains("do not change a recording") == true)
        // Once the recording is whole again, the same camera plays what is there then.
        let other = try RecordedImages.image(brightness: 250)
        for name in 1...4 { try recording.place.write(other, as: "\(name).jpg") }
        var again = try await FileBench(bench.camera, clock: bench.clock)
        #expect(await again.play(1).map(\.lease.bytes) == [other])
        await again.stream.stop()
    }
}

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
        var frames = await removeWaiting()
        while frames.count < count {
            await clock.step()
            await clock.sleepers(atLeast: 1)
            frames += await removeWaiting()
        }
        return frames
    }

    /// The frames that wait.
    mutating func removeWaiting() async -> [CameraFrame] {
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

/// A clock that jumps to whatever is waited for, is late the second time, and then stands still.
final class LateClock: TimeSource {
    private struct State {
        var now: LocalTime
        var sleeps = 0
    }

    private let state: Locked<State>
    private let late: Duration

    init(start: LocalTime, late: Duration) {
        state = Locked(State(now: start))
        self.late = late
    }

    func now() -> LocalTime { state.withLock { $0.now } }

    func wallClockPair() -> WallClockPair<LocalTimeBase> {
        WallClockPair(monotonic: now(), realtimeNanoseconds: now().nanoseconds)
    }

    func sleep(until deadline: LocalTime) async throws {
        let mayGoOn = state.withLock { state in
            guard deadline > state.now else { return true }
            state.sleeps += 1
            if state.sleeps > 2 { return false }
            state.now = deadline + (state.sleeps == 2 ? late : .zero)
            return true
        }
        guard !mayGoOn else { return }
        // Nothing ever comes, so this ends when the task is cancelled.
        let (nothing, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        withExtendedLifetime(source) {}
        throw CancellationError()
    }
}

/// Small JPEG images, each of another brightness, in a folder that goes with this object.
final class RecordedImages: Sendable {
    let images: [[UInt8]]
    let place: TemporaryFolder

    init(count: Int, width: Int = 64, height: Int = 48) throws {
        images = try (0..<count).map { try Self.image(brightness: UInt8(10 + $0 * 7), width: width, height: height) }
        place = try TemporaryFolder()
    }

    static func image(brightness: UInt8, width: Int = 64, height: Int = 48) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .gray)
        let luma = [UInt8](repeating: brightness, count: width * height)
        let none: [UInt8] = []
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
        return jpeg
    }

    /// The images as `1.jpg`, `2.jpg`, … in a folder.
    func folder() throws -> String {
        for (index, image) in images.enumerated() { try place.write(image, as: "\(index + 1).jpg") }
        return place.path
    }

    /// The images one after another in a file.
    func file() throws -> String {
        try place.write(images.flatMap { $0 }, as: "recording.mjpeg")
    }
}
