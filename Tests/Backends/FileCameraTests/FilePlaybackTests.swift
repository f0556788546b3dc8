import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import FileCamera

@Suite("File camera: playing", .timeLimit(.minutes(1)))
struct FilePlaybackTests {
    private let second: Int64 = 1_000_000_000

    @Test("A frame is another image than the recorded one, or the recording's order is lost", arguments: [true, false])
    func images(fromFolder: Bool) async throws {
        // More than nine, so that the order of letters would be another one.
        let recording = try RecordedImages(count: 12)
        var bench = try await FileBench(fromFolder ? try recording.folder() : try recording.file(), loop: false)
        let frames = await bench.playToTheEnd(12)
        #expect(frames.map(\.lease.bytes) == recording.images)
        #expect(frames.map(\.sequence) == Array(0..<12))
        #expect(bench.stream.format.description == "MJPG 64x48 10 fps")
    }

    @Test("A recording that ends is started over by whoever restarts cameras, or its end looks like a fault")
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

    @Test("A recording stopped before its end cannot be played again from its beginning")
    func restart() async throws {
        let recording = try RecordedImages(count: 3)
        var bench = try await FileBench(try recording.file(), loop: false)
        #expect(await bench.play(2).map(\.lease.bytes) == Array(recording.images[0..<2]))
        await bench.stream.stop()
        var again = try await FileBench(bench.camera, clock: bench.clock)
        #expect(await again.playToTheEnd(3).map(\.lease.bytes) == recording.images)
    }

    @Test("Frame numbers or stamps begin anew with each round")
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

    @Test("Cameras started at different times show images of different times")
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

    @Test("The phase is ignored")
    func phase() async throws {
        let recording = try RecordedImages(count: 2)
        let clock = ManualTimeSource(start: LocalTime(nanoseconds: second))
        var bench = try await FileBench(try recording.file(), phaseMilliseconds: 12.5, clock: clock)
        let frames = await bench.play(2)
        await bench.stream.stop()
        #expect(frames.map(\.midExposure.nanoseconds) == [1_012_500_000, 1_112_500_000])
    }

    @Test("A machine that was late shows old images, or hides that it lost some")
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
        #expect(bench.stream.failure?.reason.contains("leave a recording as it is") == true)
        // Once the recording is whole again, the same camera plays what is there then.
        let other = try RecordedImages.image(brightness: 250)
        for name in 1...4 { try recording.place.write(other, as: "\(name).jpg") }
        var again = try await FileBench(bench.camera, clock: bench.clock)
        #expect(await again.play(1).map(\.lease.bytes) == [other])
        await again.stream.stop()
    }
}
